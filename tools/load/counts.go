package load

// Counts contains the numbers of series, samples, histograms and exemplars in Remote Write
// requests.
type Counts struct {
	Series     int64 `json:"series"`
	Samples    int64 `json:"samples"`
	Histograms int64 `json:"histograms"`
	Exemplars  int64 `json:"exemplars"`
}

// add multiplies the counts in o by the factor `times`, and adds the products to c.
func (c *Counts) add(o Counts, times int64) {
	c.Series += times * o.Series
	c.Samples += times * o.Samples
	c.Histograms += times * o.Histograms
	c.Exemplars += times * o.Exemplars
}

// holds reports whether each count in c is at least as large as the corresponding count in o.
func (c Counts) holds(o Counts) bool {
	return c.Series >= o.Series && c.Samples >= o.Samples && c.Histograms >= o.Histograms && c.Exemplars >= o.Exemplars
}
