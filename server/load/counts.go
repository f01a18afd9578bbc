package load

// Counts are what requests of Remote Write hold.
type Counts struct {
	Series     int64 `json:"series"`
	Samples    int64 `json:"samples"`
	Histograms int64 `json:"histograms"`
	Exemplars  int64 `json:"exemplars"`
}

// add adds o so many times.
func (c *Counts) add(o Counts, times int64) {
	c.Series += times * o.Series
	c.Samples += times * o.Samples
	c.Histograms += times * o.Histograms
	c.Exemplars += times * o.Exemplars
}

// holds reports whether there are as many as in o of everything, or more.
func (c Counts) holds(o Counts) bool {
	return c.Series >= o.Series && c.Samples >= o.Samples && c.Histograms >= o.Histograms && c.Exemplars >= o.Exemplars
}
