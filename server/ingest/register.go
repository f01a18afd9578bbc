package ingest

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/schema"
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

func statusOf(name string, versions []*version, v *version) *schemaStatus {
	st := &schemaStatus{Name: name, Fingerprint: v.fingerprint, Notation: v.notation, Form: "rows", Schema: v.shape}
	if v.columns.Lists() {
		st.Form = "columns"
	}
	for name, kind := range v.columns.All() {
		st.Columns = append(st.Columns, columnStatus{Name: name, Type: kind.String()})
	}
	for _, v := range versions {
		st.Versions = append(st.Versions, versionStatus{v.fingerprint, v.notation})
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
	for name, versions := range h.schemas.all() {
		s := schemaSummary{Name: name}
		for _, v := range versions {
			s.Fingerprint = v.fingerprint
			s.Versions = append(s.Versions, v.fingerprint)
		}
		list = append(list, s)
	}
	writeJSON(w, http.StatusOK, list)
}

func (h *Handler) getSchema(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	err := checkSchema(name)
	versions := h.schemas.versions(name)
	switch {
	case err != nil:
		h.refuse(w, r, asRefusal(err))
	case len(versions) == 0:
		h.refuse(w, r, errNoSchema(name))
	default:
		writeJSON(w, http.StatusOK, statusOf(name, versions, versions[len(versions)-1]))
	}
}

// putSchema registers a schema. The response describes the version in the request, even if newer
// versions exist. If a client used the fingerprint of another version, its bodies would be decoded
// incorrectly.
func (h *Handler) putSchema(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	err := checkSchema(name)
	var v *version
	if err == nil {
		v, err = h.readVersion(r)
	}
	var versions []*version
	created := false
	if err == nil {
		versions, created, err = h.schemas.put(name, v)
	}
	switch {
	case err != nil:
		h.refuseSchema(w, r, name, err)
	case created:
		h.log.Info("schema registered", "schema", name, "fingerprint", v.fingerprint, "versions", len(versions))
		writeJSON(w, http.StatusCreated, statusOf(name, versions, v))
	default:
		writeJSON(w, http.StatusOK, statusOf(name, versions, v))
	}
}

func (h *Handler) deleteSchema(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	err := checkSchema(name)
	if err == nil {
		err = h.schemas.remove(name)
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
	refused := asRefusal(err)
	if refused.outcome == InDoubt {
		h.counters.unsaved.Add(1)
		h.log.Error("writing the schema registry failed", "schema", name, "error", err)
	}
	h.refuse(w, r, refused)
}

// readVersion returns the schema in a request.
func (h *Handler) readVersion(r *http.Request) (*version, error) {
	contentType := r.Header.Get("Content-Type")
	if media, _, _ := mime.ParseMediaType(contentType); media != "application/json" {
		return nil, refuse(WrongType, "Content-Type %q: a schema is application/json", clip(contentType)).in("Content-Type")
	}
	held := h.flight.Of(r.RemoteAddr)
	defer held.Release()
	if err := held.Take(maxDefinition); err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(r.Body, maxDefinition+1))
	switch {
	case err != nil:
		return nil, errReading(err, len(text), r.ContentLength)
	case len(text) > maxDefinition:
		return nil, refuse(TooLarge, "the schema has more than %d bytes", maxDefinition)
	}
	shape := new(schema.Shape)
	if err := json.Unmarshal(text, shape); err != nil {
		return nil, invalid("the body is no schema: %s", oneLine(err))
	}
	v, err := newVersion(shape)
	var e *schema.Error
	if errors.As(err, &e) {
		if e.Path == "" {
			return nil, invalid("the schema is for no table: %s", plain(e.Cause))
		}
		return nil, invalid("field %q: %s", brief(e.Path), plain(e.Cause)).in(brief(e.Path))
	}
	return v, h.checkVersion(v)
}

// checkVersion returns an error if the schema cannot be used to write to a table.
func (h *Handler) checkVersion(v *version) error {
	var b column.Batch
	for name, kind := range v.columns.All() {
		if _, err := b.Column([]byte(name)); err != nil {
			return err
		}
		if name == timeColumn && (kind == column.String || kind == column.Bool) {
			return invalid("field %q: time holds %v: make it an integer, a float or a time", name, kind).in(name)
		}
	}
	if _, err := b.Column(timeName); err != nil { // rows have a time even if the schema has none
		return err
	}
	if n := len(b.Columns); n > h.limits.Columns {
		return invalid("the schema has %d columns, time included, and a table in a request may have %d", n, h.limits.Columns)
	}
	return checkColumns(&b)
}
