package ingest

import (
	"net/http"

	"github.com/slipstream-go/slipstream/server/access"
	"github.com/slipstream-go/slipstream/server/names"
	"github.com/slipstream-go/slipstream/server/refusal"
	"github.com/slipstream-go/slipstream/server/registry"
)

// readSchema finds the schema of the body. The schema is given by the parameters of the
// Content-Type.
func (q *request) readSchema(r *http.Request, g *access.Grant, params map[string]string) (err error) {
	name, fingerprint := params["schema"], params["fingerprint"]
	if err := names.CheckSchema(name); err != nil {
		return err
	}
	if !registry.IsFingerprint(fingerprint) {
		return refusal.Errorf("Content-Type: fingerprint=%q: must be the 16 hex digits, in lower case, of the schema's "+
			"NamedFingerprint, which GET /v1/schemas/%s returns", refusal.Clip(fingerprint), name).In("fingerprint")
	}
	q.schema, err = q.handler.schemas.Find(name, fingerprint, r.Header.Get("Slipstream-Schema"))
	switch {
	case err == nil:
		q.job.Schema = q.schema.Columns
	case !g.SeesAll():
		return registry.Unseen(name, fingerprint)
	}
	return err
}
