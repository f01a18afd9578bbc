package growth

import (
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// Scripts returns families of valid text. Together they contain characters of each length in UTF-8.
func Scripts() []Family[string] {
	return []Family[string]{
		Repeat("ASCII", "The quick brown fox jumps over the lazy dog. ", ""),
		{Name: "Latin", Long: true, Make: fill("Voilà, où l'œuvre naïve à Zürich a été reçue. ")},
		Repeat("Cyrillic", "Съешь же ещё этих мягких французских булок. ", ""),
		Repeat("Japanese", "色は匂へど散りぬるを我が世誰ぞ常ならむ。", ""),
		Repeat("emoji", "😀🎉🚀🌍", ""),
		{Name: "mixed", Long: true, Make: fill("a é 色 😀 ")},
	}
}

// NotUTF8 returns families of text that is not UTF-8.
func NotUTF8() []Family[string] {
	bad := func(at float64) func(int) string {
		return func(n int) string {
			i := int(at * float64(n-1))
			return strings.Repeat("a", i) + "\xff" + strings.Repeat("a", n-1-i)
		}
	}
	return []Family[string]{
		{Name: "Latin-1", Make: fill("Voil\xe0, o\xf9 l'oeuvre na\xefve a \xe9t\xe9. ")},
		{Name: "bad byte at the start", Make: bad(0), Long: true},
		{Name: "bad byte in the middle", Make: bad(0.5), Long: true},
		{Name: "bad byte at the end", Make: bad(1)},
		{Name: "bad bytes only", Make: fill("\xff")},
		{Name: "cut characters", Make: fill("\xe8\x89"), Long: true},
	}
}

// Repeat returns a family whose inputs repeat the text `unit` and end with the text `last`.
func Repeat(name, unit, last string) Family[string] {
	make := fill(unit)
	return Family[string]{Name: name, Make: func(n int) string { return make(n-len(last)) + last }}
}

// fill returns a function that repeats the text `unit` up to about n bytes.
func fill(unit string) func(int) string {
	return func(n int) string { return strings.Repeat(unit, max(1, n/len(unit))) }
}

// Map returns families whose inputs are the results of f, applied to the inputs of the given
// families. If name is not empty, it is added to the names of the families.
func Map[A, B any](name string, families []Family[A], f func(A) B) []Family[B] {
	mapped := make([]Family[B], len(families))
	for i, of := range families {
		mapped[i] = Family[B]{Name: of.Name, Make: func(n int) B { return f(of.Make(n)) }, Most: of.Most, Long: of.Long}
		if name != "" {
			mapped[i].Name += ", " + name
		}
	}
	return mapped
}

// Without is a filter: it returns the families whose names do not contain any of the words.
func Without[In any](families []Family[In], words ...string) []Family[In] {
	return slices.DeleteFunc(slices.Clone(families), func(f Family[In]) bool {
		return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(f.Name, word) })
	})
}

// Only is a filter: it returns the families with the given names, and includes them in the short
// test. The names of the returned families end in "short".
func Only[In any](families []Family[In], names ...string) []Family[In] {
	var some []Family[In]
	for _, f := range families {
		if slices.Contains(names, f.Name) {
			f.Name, f.Long = f.Name+", short", false
			some = append(some, f)
		}
	}
	if len(some) != len(names) {
		panic("growth: there are no families of some of these names: " + strings.Join(names, "; "))
	}
	return some
}

// OnlyLong returns the same families, but excludes them from the short test.
func OnlyLong[In any](families []Family[In]) []Family[In] {
	all := make([]Family[In], len(families))
	for i, f := range families {
		f.Long = true
		all[i] = f
	}
	return all
}

// EachRune returns s with every rune r replaced by f(r).
func EachRune(s string, f func(rune) string) string {
	var b strings.Builder
	for _, r := range s {
		b.WriteString(f(r))
	}
	return b.String()
}

// Every returns a copy of s with the given text inserted after every `step` bytes. It never inserts
// text inside a character.
func Every(s, text string, step int) string {
	var b strings.Builder
	for len(s) > step {
		cut := step
		for cut < len(s) && !utf8.RuneStart(s[cut]) {
			cut++
		}
		b.WriteString(s[:cut])
		b.WriteString(text)
		s = s[cut:]
	}
	b.WriteString(s)
	return b.String()
}

// Pieces returns a reader of b that returns at most `size` bytes at a time.
func Pieces[B []byte | string](b B, size int) io.Reader { return &pieces{string(b), size} }

type pieces struct {
	rest string
	size int
}

func (r *pieces) Read(p []byte) (int, error) {
	if r.rest == "" {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), r.size)], r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// Source is a reader of the bytes in Rest. Each call of Read fills its buffer, unless Rest contains
// fewer bytes.
type Source struct{ Rest []byte }

func (s *Source) Read(p []byte) (int, error) {
	if len(s.Rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, s.Rest)
	s.Rest = s.Rest[n:]
	return n, nil
}
