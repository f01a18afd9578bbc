package remotewrite

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"strings"
	"testing"
)

// Each of these tests checks for one defect of the parser from which this package was developed.
// The tests of the relay check for the defects of that parser in HTTP and in pools.

// refuses checks that a Scanner and a Splitter reject every body, given in hex, with this cause.
func refuses(t *testing.T, cause error, bodies ...string) {
	t.Helper()
	for _, text := range bodies {
		body := unhex(t, text)
		var s Scanner
		s.Reset(body, V1)
		for range s.Series {
		}
		if !errors.Is(s.Err(), cause) {
			t.Errorf("Scanner of %s: %v, not %v", text, s.Err(), cause)
		}
		var p Splitter
		if err := p.Split(body, V1, By{Labels: []string{"a"}}); !errors.Is(err, cause) || p.Len() != 0 {
			t.Errorf("Split of %s: %v and %d parts, not %v", text, err, p.Len(), cause)
		}
	}
}

// reads checks that a Scanner reads the body, given in hex, as the note describes. The parts of a
// Splitter must contain the series unchanged, and nothing else.
func reads(t *testing.T, text, want, series string) {
	t.Helper()
	var s Scanner
	if got, err := note(&s, unhex(t, text), V1); err != nil || got != want {
		t.Errorf("Scanner of %s: %s, %v, not %s", text, got, err, want)
	}
	var p Splitter
	if err := p.Split(unhex(t, text), V1, By{Labels: []string{"nobody"}}); err != nil {
		t.Errorf("Split of %s: %v", text, err)
	}
	var out []byte
	for part := range p.Parts {
		out = part.Append(out)
	}
	if !bytes.Equal(out, unhex(t, series)) {
		t.Errorf("Split of %s: % x, not %s", text, out, series)
	}
}

func unhex(t testing.TB, text string) []byte {
	b, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestOverlongTopLevelKey(t *testing.T) {
	refuses(t, errVarint, "ff ff ff ff ff ff ff ff ff ff 01", "80 80 80 80 80 80 80 80 80 80 80 80 00")
	refuses(t, io.ErrUnexpectedEOF, "8a", "8a 80")
}

func TestSeriesLongerThanBody(t *testing.T) {
	refuses(t, io.ErrUnexpectedEOF, "0a 05", "0a 05 00 00 00 00", "0a 80 01")
}

func TestSeriesLengthOf64Bits(t *testing.T) {
	refuses(t, io.ErrUnexpectedEOF, "0a ff ff ff ff ff ff ff ff ff 01", "0a 80", "0a 80 80")
	refuses(t, errVarint, "0a ff ff ff ff ff ff ff ff ff 7f", "0a ff ff ff ff ff ff ff ff ff ff 01")
}

func TestLabelLengthOf64Bits(t *testing.T) {
	refuses(t, io.ErrUnexpectedEOF, "0a 0b 0a ff ff ff ff ff ff ff ff ff 01", "0a 02 0a 80")
}

func TestSampleLengthOf63Bits(t *testing.T) {
	refuses(t, io.ErrUnexpectedEOF, "0a 0b 12 80 80 80 80 80 80 80 80 80 01", "0a 0a 12 ff ff ff ff ff ff ff ff 7f")
}

func TestStringLengthInLabel(t *testing.T) {
	refuses(t, io.ErrUnexpectedEOF, "0a 0d 0a 0b 0a ff ff ff ff ff ff ff ff ff 01", "0a 0d 0a 0b 12 80 80 80 80 80 80 80 80 80 01", "0a 04 0a 02 0a 01")
}

func TestFixedNumbersCutOff(t *testing.T) {
	refuses(t, io.ErrUnexpectedEOF, "0a 08 29 01 02 03 04 05 06 07", "0a 01 29", "0a 04 2d 01 02 03", "0a 01 2d", "51 00", "55 00")
}

func TestUnknownBytesCutOff(t *testing.T) {
	refuses(t, io.ErrUnexpectedEOF, "0a 02 2a 01", "0a 01 2a", "0a 0b 2a ff ff ff ff ff ff ff ff ff 01", "0a 02 2a 80")
}

func TestUnknownVarintInSample(t *testing.T) {
	refuses(t, io.ErrUnexpectedEOF, "0a 04 12 02 18 80", "0a 03 12 01 18")
	refuses(t, errVarint, "0a 0e 12 0c 18 80 80 80 80 80 80 80 80 80 80 01")
}

func TestTagAlone(t *testing.T) {
	refuses(t, io.ErrUnexpectedEOF, "0a", "0a 00 0a")
}

func TestFieldNumber0(t *testing.T) {
	refuses(t, errNumber, "00 00", "02 00", "0a 02 00 00", "0a 04 0a 02 00 00", "0a 04 12 02 00 00", "80 00 00")
}

func TestOtherFieldsAtTheTop(t *testing.T) {
	reads(t, "1a 05 08 01 12 01 66 0a 00", "metadata(1 f) {}", "0a 00")
	reads(t, "10 01 0a 00 12 01 00 c0 3e 01", "{}", "0a 00")
	reads(t, "1a 05 08 01 12 01 66", "metadata(1 f)", "")
}

func TestExemplarsAndHistograms(t *testing.T) {
	exemplar, histogram := "1a 0b 11 00 00 00 00 00 00 f8 3f 18 07", "22 04 08 03 78 07"
	body := "0a 1b 0a 06 0a 01 61 12 01 62" + exemplar + histogram
	reads(t, body, "{a=b} exemplar{} 1.5@7 histogram@7", body)
	var p Splitter
	if err := p.Split(unhex(t, body), V1, By{}); err != nil {
		t.Fatal(err)
	}
	for part := range p.Parts {
		if part.Exemplars != 1 || part.Histograms != 1 || part.Samples != 0 || part.Series != 1 {
			t.Errorf("the counts of the part are %+v", part)
		}
	}
}

func TestBodyOfTheOtherVersion(t *testing.T) {
	refuses(t, ErrVersion, "22 00", "2a 00", "22 00 2a 00", "22 00 22 01 61 2a 04 0a 02 01 01", "10 01 2a 00")
	for _, text := range []string{"0a 00", "1a 00", "10 01 1a 00"} {
		var p Splitter
		if err := p.Split(unhex(t, text), V2, By{}); !errors.Is(err, ErrVersion) {
			t.Errorf("%s as version 2: %v", text, err)
		}
	}
	var p Splitter
	if err := p.Split(nil, 3, By{}); !errors.Is(err, errNoVersion) {
		t.Errorf("version 3: %v", err)
	}
}

func TestUnknownFieldsInLabel(t *testing.T) {
	for _, unknown := range []string{"18 05", "19 01 02 03 04 05 06 07 08", "1d 01 02 03 04", "1a 00", "1b 08 01 1c"} {
		n := 6 + len(unhex(t, unknown))
		body := hex.EncodeToString([]byte{0x0a, byte(n + 2), 0x0a, byte(n)}) + "0a 01 61" + unknown + "12 01 62"
		reads(t, body, "{a=b}", body)
	}
}

func TestSampleFields(t *testing.T) {
	refuses(t, errType, "0a 04 12 02 08 01", "0a 07 12 05 15 00 00 00 00", "0a 04 12 02 0a 00", "0a 04 12 02 12 00", "0a 0b 12 09 11 00 00 00 00 00 00 00 00")
	twice := "0a 1a 12 18 09 00 00 00 00 00 00 f0 3f 10 07 09 00 00 00 00 00 00 f8 3f 10 e8 87 00"
	reads(t, twice, "{} 1.5@1000", twice)
	reads(t, "0a 04 12 00 12 00", "{} 0@0 0@0", "0a 04 12 00 12 00")
}
