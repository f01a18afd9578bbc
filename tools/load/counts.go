package load

// Counts contains the numbers of series, samples, histograms and exemplars in Remote Write
// requests.
type Counts struct {
	Series     int64 `json:"series"`
	Samples    int64 `json:"samples"`
	Histograms int64 `json:"histograms"`
	Exemplars  int64 `json:"exemplars"`
}

// add adds o to c, multiplied by times.
func (c *Counts) add(o Counts, times int64) {
	c.Series += times * o.Series
	c.Samples += times * o.Samples
	c.Histograms += times * o.Histograms
	c.Exemplars += times * o.Exemplars
}

// holds reports whether each count of c is at least the same count of o.
func (c Counts) holds(o Counts) bool {
	return c.Series >= o.Series && c.Samples >= o.Samples && c.Histograms >= o.Histograms && c.Exemplars >= o.Exemplars
}
