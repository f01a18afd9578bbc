package table

import (
	"fmt"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/internal/growth"
)

// TestGrowth asserts that adding the columns of a batch to a table takes linear time, even if the
// names of the columns are very similar.
func TestGrowth(t *testing.T) {
	growth.Check(t, []growth.Case{{Name: "new columns", Alloc: 100, Prepare: func(n int) func() {
		b := new(column.Batch)
		for i := range n / maxName {
			c, err := b.Column([]byte(strings.Repeat("n", maxName-6) + fmt.Sprintf("%06d", i)))
			if err != nil {
				t.Fatal(err)
			}
			c.Accepts(column.Bool)
			c.AppendBool(true)
		}
		old := newSchema(Name{"db", "t"})
		return func() {
			if _, err := old.extended(b, limits{}); err != nil {
				t.Error(err)
			}
		}
	}}})
}
