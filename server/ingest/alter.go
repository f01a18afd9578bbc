package ingest

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/server/refusal"
	"github.com/slipstream-go/slipstream/server/registry"
	"github.com/slipstream-go/slipstream/server/table"
)

// The endpoints that alter tables call the methods Drop, DropColumn and SetType of table.Store.
// Each request specifies what happens to the Parquet files.

// dropTable handles DELETE /v1/tables/{db}/{table}?files=delete|keep.
func (h *Handler) dropTable(w http.ResponseWriter, r *http.Request) {
	h.alter(w, r, func(s *table.Store, name table.Name) error {
		files, err := filesOf(r, "delete")
		if err != nil {
			return err
		}
		return s.Drop(r.Context(), name, files)
	})
}

// dropColumn handles DELETE /v1/tables/{db}/{table}/columns/{column}?files=rewrite|keep.
func (h *Handler) dropColumn(w http.ResponseWriter, r *http.Request) {
	h.alter(w, r, func(s *table.Store, name table.Name) error {
		files, err := filesOf(r, "rewrite")
		if err != nil {
			return err
		}
		return s.DropColumn(r.Context(), name, r.PathValue("column"), files)
	})
}

// setType handles PUT /v1/tables/{db}/{table}/columns/{column}.
func (h *Handler) setType(w http.ResponseWriter, r *http.Request) {
	h.alter(w, r, func(s *table.Store, name table.Name) error {
		const most = 1 << 10
		var body struct{ Type string }
		text, err := io.ReadAll(io.LimitReader(r.Body, most))
		if err == nil {
			err = json.Unmarshal(text, &body)
		}
		if err != nil {
			return refusal.Errorf(`the body must be a JSON object such as {"type": "float64"}: %s`, registry.OneLine(err))
		}
		kind, ok := column.KindOf(body.Type)
		if !ok || kind == column.Null {
			return refusal.Errorf("type %q: use bool, int64, float64, string or time", refusal.Clip(body.Type)).In("type")
		}
		return s.SetType(r.Context(), name, r.PathValue("column"), kind)
	})
}

// filesOf reads the parameter named files. It returns true if the value equals the argument
// `change`, and false if the value is "keep". If the parameter is missing or has another value than
// these, filesOf returns an error.
func filesOf(r *http.Request, change string) (bool, error) {
	query, err := parametersOf(r, "files")
	if err != nil {
		return false, err
	}
	switch v := query.Get("files"); v {
	case change:
		return true, nil
	case "keep":
		return false, nil
	default:
		return false, refusal.Errorf("files=%q: use files=%s or files=keep to choose what happens to the Parquet files", refusal.Clip(v), change).In("files")
	}
}

// alter handles a request that alters a table. The argument `do` is the function that makes the
// alteration.
func (h *Handler) alter(w http.ResponseWriter, r *http.Request, do func(*table.Store, table.Name) error) {
	s := h.store.Load()
	if s == nil {
		h.refuse(w, r, errNotReady())
		return
	}
	name := table.Name{DB: r.PathValue("db"), Table: r.PathValue("table")}
	if err := do(s, name); err != nil {
		h.refuse(w, r, h.explainAlteration(err))
		return
	}
	h.log.Info("table altered", "table", name.String(), "column", r.PathValue("column"), "method", r.Method, "files", r.URL.Query().Get("files"))
	w.WriteHeader(http.StatusNoContent)
}

func (h *Handler) explainAlteration(err error) *refusal.Error {
	var r *refusal.Error
	switch {
	case errors.As(err, &r):
		return r
	case errors.Is(err, table.ErrInvalid):
		return refusal.Of(err)
	case errors.Is(err, table.ErrUnknown):
		return refusal.New(refusal.NoSchema, "%v", err)
	case errors.Is(err, table.ErrUnfit):
		return refusal.New(refusal.Mismatch, "%s", registry.OneLine(err))
	case errors.Is(err, table.ErrHeld):
		return refusal.New(refusal.Stalled, "%v", err)
	case errors.Is(err, table.ErrClosed):
		return refusal.New(refusal.NotReady, "the service is stopping: the table was not changed")
	}
	h.log.Error("altering a table failed", "error", err)
	return refusal.New(refusal.InDoubt, "the alteration failed; the catalog is unchanged, but some files may have been changed: repeat the request: %s", registry.OneLine(err))
}
