package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/slipstream-go/slipstream/internal/jsonfault"
)

// Options returns the options that make kong read the environment and the configuration file.
func Options() []kong.Option {
	return []kong.Option{
		kong.DefaultEnvars("SLIPSTREAM"),
		kong.Configuration(load),
	}
}

// file is a configuration file. Unlike kong's own resolver, it rejects unknown keys. Otherwise, a
// mistyped key would have no effect, and its setting would silently have the default.
type file struct {
	kong.Resolver
	keys []string
}

func load(r io.Reader) (kong.Resolver, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	var whole map[string]json.RawMessage
	if err := json.Unmarshal(text, &whole); err != nil {
		return nil, fmt.Errorf("configuration file: must be a JSON object: %w", jsonfault.Plain(err))
	}
	// kong looks for names with underscores. For flags that are parsed from text, such as sizes, it
	// also expects the value as text.
	named := make(map[string]json.RawMessage, len(whole))
	f := &file{}
	d := json.NewDecoder(bytes.NewReader(text)) // unlike whole, the decoder shows a key that occurs twice
	for _, _ = d.Token(); d.More(); {
		var value json.RawMessage
		key, _ := d.Token()
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		name := strings.ReplaceAll(key.(string), "-", "_")
		if _, ok := named[name]; ok {
			return nil, fmt.Errorf("the configuration file sets %q twice", key)
		}
		if c := value[0]; c == '-' || '0' <= c && c <= '9' {
			value = json.RawMessage(`"` + string(value) + `"`)
		}
		named[name] = value
		f.keys = append(f.keys, key.(string))
	}
	if text, err = json.Marshal(named); err != nil {
		return nil, err
	}
	f.Resolver, err = kong.JSON(bytes.NewReader(text))
	return f, err
}

// Resolve returns the file's value for a flag. If the environment sets the flag, Resolve returns
// nil. Otherwise, kong would use the value in the file instead of the value in the environment.
func (f *file) Resolve(ctx *kong.Context, parent *kong.Path, flag *kong.Flag) (any, error) {
	for _, name := range flag.Envs {
		if _, ok := os.LookupEnv(name); ok {
			return nil, nil
		}
	}
	return f.Resolver.Resolve(ctx, parent, flag)
}

// Validate returns an error if the file sets an unknown key. It is called by kong.
func (f *file) Validate(app *kong.Application) error {
	known := make(map[string]bool)
	err := kong.Visit(app, func(node kong.Visitable, next kong.Next) error {
		if flag, ok := node.(*kong.Flag); ok {
			known[flag.Name] = true
		}
		return next(nil)
	})
	if err != nil {
		return err
	}
	for _, key := range f.keys {
		if !known[strings.ReplaceAll(key, "_", "-")] {
			return fmt.Errorf("the configuration file sets %q, which is not a setting; see --help", key)
		}
	}
	return nil
}
