// Command tools is a program that imports a package of the module tools: it compares two
// versions of a schema.
package main

import (
	"encoding/json"
	"log"
	"os"

	"github.com/slipstream-go/slipstream/schema"
	"github.com/slipstream-go/slipstream/tools/evolve"
)

type reading struct {
	Host string
	Load uint16
}

func main() {
	host := schema.F("host", func(r *reading) *string { return &r.Host }, schema.Str8)
	load := schema.F("load", func(r *reading) *uint16 { return &r.Load }, schema.U16)
	write("old.json", schema.Struct(host))
	write("new.json", schema.Struct(host, schema.Tail(load)))
	versions := evolve.Check{Old: "old.json", New: "new.json", Require: "both"}
	if err := versions.Run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func write(name string, s *schema.Schema[reading]) {
	text, err := json.Marshal(s.Shape())
	if err == nil {
		err = os.WriteFile(name, text, 0o600)
	}
	if err != nil {
		log.Fatal(err)
	}
}
