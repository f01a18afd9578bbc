package json

import (
	"bytes"
	"errors"

	"github.com/slipstream-go/slipstream/bench/harness"
	"github.com/slipstream-go/slipstream/bench/json/corpus"
)

const (
	noteValid   = "jsoniter is not in the table, because it does not check the input after the value."
	noteCompact = "Every library writes into a bytes.Buffer that is reused. segmentio is not in the table, because its " +
		"functions Compact and Indent call encoding/json. sonic is not in the table, because it does not have these functions."
)

func textCases() []harness.Case {
	var cases []harness.Case
	text := func(group, name, note, file string, sides func(data []byte) ([]harness.Side, error)) {
		cases = append(cases, harness.Case{
			Group: group, Name: name, Note: note, Bars: noneFaster(),
			Sides: func() ([]harness.Side, error) {
				data, err := corpus.Read(file)
				if err != nil {
					return nil, err
				}
				return sides(data)
			},
		})
	}
	valid := func(name, file string) { text("Valid", name, noteValid, file, validSides) }
	valid("canada 270 KB", corpus.Canada)
	valid("citm 1.7 MB", corpus.Citm)
	valid("golang 1.9 MB", corpus.Golang)
	valid("escaped 42 KB", corpus.Escaped)
	valid("unicode 18 KB", corpus.Unicode)
	valid("synthea 2.0 MB", corpus.Synthea)
	valid("twitter 632 KB", corpus.Twitter)
	valid("small 190 B", corpus.Small)
	valid("medium 2.3 KB", corpus.Medium)

	compact := func(name, file string) { text("Compact and Indent", "Compact, "+name, noteCompact, file, compactSides) }
	compact("canada 270 KB", corpus.Canada)
	compact("citm 1.7 MB", corpus.Citm)
	compact("golang 1.9 MB", corpus.Golang)
	compact("escaped 42 KB", corpus.Escaped)
	compact("unicode 18 KB", corpus.Unicode)
	compact("synthea 2.0 MB", corpus.Synthea)
	compact("twitter 632 KB", corpus.Twitter)
	compact("medium 2.3 KB", corpus.Medium)
	text("Compact and Indent", "Indent, large 28 KB", noteCompact, corpus.Large, indentSides)
	return cases
}

func validSides(data []byte) ([]harness.Side, error) {
	cut, more := data[:len(bytes.TrimSpace(data))-1], append(bytes.Clone(data), ',')
	var sides []harness.Side
	for _, l := range []library{ours(), std(), v1on2Library(), segmentioLibrary(), goccyLibrary(), sonicValid()} {
		run := func() error {
			if !l.valid(data) {
				return errors.New("a valid document is refused")
			}
			return nil
		}
		check := func() error {
			if l.valid(cut) || l.valid(more) {
				return errors.New("a document that is cut, or has something after it, is accepted")
			}
			return run()
		}
		sides = append(sides, l.side(run, check))
	}
	return sides, nil
}

// rewriters returns the libraries that implement Compact and Indent.
func rewriters() []library { return []library{ours(), std(), v1on2Library(), goccyLibrary()} }

func compactSides(data []byte) ([]harness.Side, error) {
	return rewriteSides(func(l library, dst *bytes.Buffer) error { return l.compact(dst, data) })
}

func indentSides(data []byte) ([]harness.Side, error) {
	return rewriteSides(func(l library, dst *bytes.Buffer) error { return l.indent(dst, data, "", "\t") })
}

// rewriteSides returns sides whose output must equal the output of encoding/json.
func rewriteSides(rewrite func(l library, dst *bytes.Buffer) error) ([]harness.Side, error) {
	var want bytes.Buffer
	if err := rewrite(std(), &want); err != nil {
		return nil, err
	}
	var sides []harness.Side
	for _, l := range rewriters() {
		var dst bytes.Buffer
		run := func() error {
			dst.Reset()
			return rewrite(l, &dst)
		}
		check := func() error {
			if err := run(); err != nil {
				return err
			}
			return sameBytes(dst.Bytes(), want.Bytes())
		}
		sides = append(sides, l.side(run, check))
	}
	return sides, nil
}
