package ingest

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/schema"
	"github.com/slipstream-go/slipstream/server/names"
	"github.com/slipstream-go/slipstream/server/refusal"
	"github.com/slipstream-go/slipstream/server/registry"
	"github.com/slipstream-go/slipstream/server/rows"
)

// This file contains the endpoints of the schema registry.

// schemaStatus is the JSON form of a schema. The fields Name and Versions describe the whole
// schema. The other fields describe one version: the newest version for GET, and the version in the
// request for PUT.
type schemaStatus struct {
	Name        string          `json:"name"`
	Fingerprint string          `json:"fingerprint"`
	Notation    string          `json:"notation"`
	Form        string          `json:"form"`
	Columns     []columnStatus  `json:"columns"`
	Schema      *schema.Shape   `json:"schema"`
	Versions    []versionStatus `json:"versions"` // starting with the oldest
}

type versionStatus struct {
	Fingerprint string `json:"fingerprint"`
	Notation    string `json:"notation"`
}

func statusOf(name string, versions []*registry.Version, v *registry.Version) *schemaStatus {
	st := &schemaStatus{Name: name, Fingerprint: v.Fingerprint, Notation: v.Notation, Form: "rows", Schema: v.Shape}
	if v.Columns.Lists() {
		st.Form = "columns"
	}
	for name, kind := range v.Columns.All() {
		st.Columns = append(st.Columns, columnStatus{Name: name, Type: kind.String()})
	}
	for _, v := range versions {
		st.Versions = append(st.Versions, versionStatus{v.Fingerprint, v.Notation})
	}
	return st
}

// schemaSummary is an element of /v1/schemas.
type schemaSummary struct {
	Name        string   `json:"name"`
	Fingerprint string   `json:"fingerprint"` // fingerprint of the newest version
	Versions    []string `json:"versions"`    // fingerprints, starting with the oldest
}

func (h *Handler) listSchemas(w http.ResponseWriter, _ *http.Request) {
	list := []schemaSummary{}
	for name, versions := range h.schemas.All() {
		s := schemaSummary{Name: name}
		for _, v := range versions {
			s.Fingerprint = v.Fingerprint
			s.Versions = append(s.Versions, v.Fingerprint)
		}
		list = append(list, s)
	}
	refusal.WriteJSON(w, http.StatusOK, list)
}

func (h *Handler) getSchema(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	err := names.CheckSchema(name)
	versions := h.schemas.Versions(name)
	switch {
	case err != nil:
		h.refuse(w, r, refusal.Of(err))
	case len(versions) == 0:
		h.refuse(w, r, registry.Missing(name))
	default:
		refusal.WriteJSON(w, http.StatusOK, statusOf(name, versions, versions[len(versions)-1]))
	}
}

// putSchema registers a schema. The response describes the version in the request, even if newer
// versions of the schema exist. Otherwise, the client would use the fingerprint of another version
// than its own, and its bodies would be decoded incorrectly.
func (h *Handler) putSchema(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	err := names.CheckSchema(name)
	var v *registry.Version
	if err == nil {
		v, err = h.readVersion(r)
	}
	var versions []*registry.Version
	created := false
	if err == nil {
		versions, created, err = h.schemas.Put(name, v)
	}
	switch {
	case err != nil:
		h.refuseSchema(w, r, name, err)
	case created:
		h.log.Info("schema registered", "schema", name, "fingerprint", v.Fingerprint, "versions", len(versions))
		refusal.WriteJSON(w, http.StatusCreated, statusOf(name, versions, v))
	default:
		refusal.WriteJSON(w, http.StatusOK, statusOf(name, versions, v))
	}
}

func (h *Handler) deleteSchema(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	err := names.CheckSchema(name)
	if err == nil {
		err = h.schemas.Remove(name)
	}
	if err != nil {
		h.refuseSchema(w, r, name, err)
		return
	}
	h.log.Info("schema deleted", "schema", name)
	w.WriteHeader(http.StatusNoContent)
}

// refuseSchema rejects a change. If the cause is a disk error, it also counts and logs the failure
// for the operator.
func (h *Handler) refuseSchema(w http.ResponseWriter, r *http.Request, name string, err error) {
	refused := refusal.Of(err)
	if refused.Outcome == refusal.InDoubt {
		h.counters.unsaved.Add(1)
		h.log.Error("writing the schema registry failed", "schema", name, "error", err)
	}
	h.refuse(w, r, refused)
}

// readVersion returns the schema in a request.
func (h *Handler) readVersion(r *http.Request) (*registry.Version, error) {
	contentType := r.Header.Get("Content-Type")
	if media, _, _ := mime.ParseMediaType(contentType); media != "application/json" {
		return nil, refusal.New(refusal.WrongType, "Content-Type %q: send a schema as application/json", refusal.Clip(contentType)).In("Content-Type")
	}
	held := h.flight.Of(r.RemoteAddr)
	defer held.Release()
	if err := held.Take(registry.MaxDefinition); err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(r.Body, registry.MaxDefinition+1))
	switch {
	case err != nil:
		return nil, errReading(err, len(text), r.ContentLength)
	case len(text) > registry.MaxDefinition:
		return nil, refusal.New(refusal.TooLarge, "the schema has more than %d bytes", registry.MaxDefinition)
	}
	shape := new(schema.Shape)
	if err := json.Unmarshal(text, shape); err != nil {
		return nil, refusal.Errorf("the body is not a valid schema: %s", registry.OneLine(err))
	}
	v, err := registry.NewVersion(shape)
	var e *schema.Error
	if errors.As(err, &e) {
		if e.Path == "" {
			return nil, refusal.Errorf("the schema cannot be used for a table: %s", refusal.Plain(e.Cause))
		}
		return nil, refusal.Errorf("field %q: %s", registry.Brief(e.Path), refusal.Plain(e.Cause)).In(registry.Brief(e.Path))
	}
	return v, h.checkVersion(v)
}

// checkVersion returns an error if the schema cannot be used to write to a table.
func (h *Handler) checkVersion(v *registry.Version) error {
	var b column.Batch
	for name, kind := range v.Columns.All() {
		if _, err := b.Column([]byte(name)); err != nil {
			return err
		}
		if name == rows.TimeColumn && (kind == column.String || kind == column.Bool) {
			return refusal.Errorf("field %q has the type %v: use an integer, a float or a time", name, kind).In(name)
		}
	}
	if _, err := b.Column([]byte(rows.TimeColumn)); err != nil { // rows have a time even if the schema has none
		return err
	}
	if n := len(b.Columns); n > h.limits.Columns {
		return refusal.Errorf("the schema has %d columns including time, but a table in a request may have at most %d", n, h.limits.Columns)
	}
	return names.CheckColumns(&b)
}
