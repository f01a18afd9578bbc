package iso8601_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/slipstream-go/slipstream/iso8601"
)

func ExampleParse() {
	for _, s := range []string{"2006-01-02T15:04:05.999Z", "2006-01-02T15:04:05+07:00", "2006-02-30T15:04:05Z", "hello"} {
		t, err := iso8601.Parse(s)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(t.Unix(), t)
	}
	// Output:
	// 1136214245 2006-01-02 15:04:05.999 +0000 UTC
	// 1136189045 2006-01-02 15:04:05 +0700 +0700
	// iso8601: day out of range
	// iso8601: not a timestamp
}

func ExampleParse_error() {
	_, err := iso8601.Parse("2016-12-31T23:59:60Z")
	fmt.Println(err == iso8601.ErrSecond, errors.Is(err, iso8601.ErrSecond))

	var any iso8601.Error
	fmt.Println(errors.As(fmt.Errorf("row 7: %w", err), &any), any)
	// Output:
	// true true
	// true iso8601: second out of range
}

func ExampleValid() {
	fmt.Println(iso8601.Valid("2006-01-02T15:04:05.999Z", iso8601.Strict))
	fmt.Println(iso8601.Valid("2006-01-02 15:04:05 +0700", iso8601.Strict))
	fmt.Println(iso8601.Valid("2006-01-02 15:04:05 +0700", iso8601.Flexible))
	fmt.Println(iso8601.Valid("2006-01-02", iso8601.AllowMissingTime))
	fmt.Println(iso8601.Valid("2006-02-30", iso8601.AllowMissingTime))
	// Output:
	// true
	// false
	// true
	// true
	// false
}

func ExampleAppend() {
	line := []byte("at ")
	line = iso8601.Append(line, time.Date(2006, 1, 2, 15, 4, 5, 123e6, time.UTC))
	fmt.Printf("%s\n", line)
	// Output: at 2006-01-02T15:04:05.123Z
}

func ExampleParseDuration() {
	for _, s := range []string{"PT1H30M", "P1DT2H3M4.5S", "-P2W", "P1M"} {
		fmt.Println(iso8601.ParseDuration(s))
	}
	// Output:
	// 1h30m0s <nil>
	// 26h3m4.5s <nil>
	// -336h0m0s <nil>
	// 0s iso8601: a duration in years or months has no fixed length
}

func ExampleAppendDuration() {
	fmt.Printf("%s\n", iso8601.AppendDuration(nil, 36*time.Hour+1500*time.Millisecond))
	// Output: PT36H1.5S
}

func ExampleDuration() {
	var config struct{ Timeout iso8601.Duration }
	if err := json.Unmarshal([]byte(`{"Timeout":"PT2M"}`), &config); err != nil {
		fmt.Println(err)
	}
	config.Timeout += iso8601.Duration(time.Second)
	text, _ := json.Marshal(config)
	fmt.Println(time.Duration(config.Timeout), string(text))
	// Output: 2m1s {"Timeout":"PT2M1S"}
}
