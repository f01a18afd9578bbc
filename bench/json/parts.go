package json

import (
	"fmt"

	"github.com/bytedance/sonic"

	"github.com/slipstream-go/slipstream/bench/harness"
	"github.com/slipstream-go/slipstream/bench/json/corpus"
)

const (
	noteGet = "Every library reads one string by its path. A library without a function for this purpose decodes the document " +
		"into a struct that contains only the fields of the path."
	markBlind = "This variant does not check the input after the value, and checks little of the input before the value."
)

func getCases() []harness.Case {
	type statuses struct {
		Statuses []struct {
			User struct {
				Name string `json:"screen_name"`
			} `json:"user"`
		} `json:"statuses"`
	}
	type names struct {
		Names map[string]string `json:"venueNames"`
	}
	type person struct {
		Person struct {
			Employment struct {
				Name string `json:"name"`
			} `json:"employment"`
		} `json:"person"`
	}
	return []harness.Case{
		getCase("twitter 632 KB, in the middle", corpus.Twitter, func(v *statuses) string { return v.Statuses[50].User.Name },
			"statuses", 50, "user", "screen_name"),
		getCase("citm 1.7 MB, at the end", corpus.Citm, func(v *names) string { return v.Names["PLEYEL_PLEYEL"] },
			"venueNames", "PLEYEL_PLEYEL"),
		getCase("medium 2.3 KB, in the middle", corpus.Medium, func(v *person) string { return v.Person.Employment.Name },
			"person", "employment", "name"),
	}
}

// getCase returns a case that looks for the string that value returns for a T.
func getCase[T any](name, file string, value func(*T) string, path ...any) harness.Case {
	sides := func() ([]harness.Side, error) {
		data, err := corpus.Read(file)
		if err != nil {
			return nil, err
		}
		v, err := decoded[T](data)
		if err != nil {
			return nil, err
		}
		want := value(v)
		var sides []harness.Side
		add := func(l library, get func() (string, error)) {
			run := func() error {
				_, err := get()
				return err
			}
			check := func() error {
				got, err := get()
				if err == nil && (got != want || want == "") {
					err = fmt.Errorf("%q, want %q", got, want)
				}
				return err
			}
			sides = append(sides, l.side(run, check))
		}
		add(ours(), oursGet(data, path))
		for _, l := range exact()[1:] {
			add(l, func() (string, error) {
				var v T
				err := l.unmarshal(data, &v)
				return value(&v), err
			})
		}
		add(library{name: sonicName, how: "Get", mark: markBlind}, func() (string, error) {
			node, err := sonic.Get(data, path...)
			if err != nil {
				return "", err
			}
			return node.String()
		})
		return sides, nil
	}
	return harness.Case{Group: "Get by path", Name: name, Note: noteGet, Bars: noneFaster(), Sides: sides}
}
