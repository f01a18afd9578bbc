package registry

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/slipstream-go/slipstream/schema"
	"github.com/slipstream-go/slipstream/server/disk"
	"github.com/slipstream-go/slipstream/server/names"
	"github.com/slipstream-go/slipstream/server/refusal"
)

// Schemas is the registry of schemas. For each name of a schema, it contains the versions of this
// schema, oldest first. The registry writes a new version to the file before it confirms the
// registration:
//
//	{"version": 1, "schemas": [{"name": "cpu", "versions": ["{time i64, host str8}"]}]}
//
// A fingerprint identifies a version. The fingerprint includes the names of fields, because these
// are the names of the columns.
type Schemas struct {
	disk  disk.Disk
	path  string
	known atomic.Pointer[map[string][]*Version] // content of the file; the map and all its values are immutable
	mu    disk.Mutex                            // held while a changed copy of known is made
}

// Version is one version of a schema.
type Version struct {
	Shape       *schema.Shape
	Notation    string
	Fingerprint string // 16 hex digits
	Columns     *schema.Columns
}

// NewVersion returns a version with the given shape. It returns an error if no table can store the
// values of such a schema. The rules of NewVersion and of [schema.ParseShape] must never become
// stricter, because the schemas in existing registries and logs must remain readable. A new rule
// for registration must be added to the endpoint PUT, in package ingest.
func NewVersion(s *schema.Shape) (*Version, error) {
	columns, err := s.Columns()
	if err != nil {
		return nil, err
	}
	return &Version{s, s.String(), Hex(s.NamedFingerprint()), columns}, nil
}

// These are the limits of the registry: the maximum size of a schema's JSON form in bytes, the
// maximum number of versions of all schemas, and the maximum total size of their notations in
// bytes. Each change of the registry writes all versions to the file. In memory, a version uses up
// to 45 times as many bytes as its notation.
const (
	MaxDefinition = 128 << 10
	MaxVersions   = 1000
	MaxNotations  = 4 << 20
)

const schemasVersion = 1

type schemasFile struct {
	Version int           `json:"version"`
	Schemas []schemaEntry `json:"schemas"`
}

type schemaEntry struct {
	Name     string   `json:"name"`
	Versions []string `json:"versions"`
}

// Open returns a registry with the content of the file at path. If the file does not exist, the
// registry is empty.
func Open(d disk.Disk, path string) (*Schemas, error) {
	s := New(d, path)
	text, err := disk.ReadFile(d, path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		err = s.parse(text)
	}
	if err != nil {
		return nil, fmt.Errorf("registry: %s: %w", path, err)
	}
	return s, nil
}

// New returns an empty registry that writes to the file at path.
func New(d disk.Disk, path string) *Schemas {
	s := &Schemas{disk: d, path: path}
	s.known.Store(new(map[string][]*Version))
	return s
}

func (s *Schemas) parse(text []byte) error {
	const hint = "repair the file, or move it away and register the schemas again"
	var f schemasFile
	if err := json.Unmarshal(text, &f); err != nil {
		return fmt.Errorf("%w: %s", err, hint)
	}
	if f.Version != schemasVersion {
		return fmt.Errorf("format version %d is not supported (this program reads %d); use the program version that wrote the file", f.Version, schemasVersion)
	}
	known := make(map[string][]*Version)
	for _, e := range f.Schemas {
		for _, notation := range e.Versions {
			shape, err := schema.ParseShape(notation)
			if err != nil {
				return fmt.Errorf("schema %q: %w: %s", e.Name, err, hint)
			}
			v, err := NewVersion(shape)
			if err != nil {
				return fmt.Errorf("schema %q: %w: %s", e.Name, err, hint)
			}
			known[e.Name] = append(known[e.Name], v)
		}
	}
	s.known.Store(&known)
	return nil
}

// become writes the new content of the registry to the file. If this succeeds, the registry has the
// new content.
func (s *Schemas) become(known map[string][]*Version) error {
	f := schemasFile{Version: schemasVersion, Schemas: []schemaEntry{}}
	for name, versions := range inOrder(known) {
		e := schemaEntry{Name: name}
		for _, v := range versions {
			e.Versions = append(e.Versions, v.Notation)
		}
		f.Schemas = append(f.Schemas, e)
	}
	text, err := json.MarshalIndent(f, "", "\t")
	if err == nil {
		err = disk.WriteFile(s.disk, s.path, append(text, '\n'))
	}
	if err != nil {
		return refusal.New(refusal.InDoubt, "the disk failed while the schemas were written: it is unknown whether the change is stored; send it again (%v)", err)
	}
	s.known.Store(&known)
	return nil
}

// Versions returns the versions of a schema, or nil if it does not exist.
func (s *Schemas) Versions(name string) []*Version { return (*s.known.Load())[name] }

// All yields the schemas in the order of their names.
func (s *Schemas) All() iter.Seq2[string, []*Version] { return inOrder(*s.known.Load()) }

// Count returns the number of all versions, and the total size of their notations in bytes.
func (s *Schemas) Count() (n, size int) {
	for _, versions := range *s.known.Load() {
		n += len(versions)
		for _, v := range versions {
			size += len(v.Notation)
		}
	}
	return n, size
}

func inOrder(known map[string][]*Version) iter.Seq2[string, []*Version] {
	return func(yield func(string, []*Version) bool) {
		for _, name := range slices.Sorted(maps.Keys(known)) {
			if !yield(name, known[name]) {
				return
			}
		}
	}
}

// Put registers a version of a schema, unless this version is already registered. It returns all
// versions of the schema after the call. If the new version v cannot read messages of the version
// that was newest before the call, Put returns an error.
func (s *Schemas) Put(name string, v *Version) (versions []*Version, created bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	versions = s.Versions(name)
	if of(versions, v.Fingerprint) != nil {
		return versions, false, nil
	}
	if n := len(versions); n > 0 {
		if verdict, err := schema.Compat(versions[n-1].Shape, v.Shape); verdict&schema.NewReadsOld == 0 {
			return nil, false, errIncompatible(name, err)
		}
	}
	switch n, size := s.Count(); {
	case n >= MaxVersions:
		return nil, false, refusal.Errorf("schema %q: all schemas together already have the maximum of %d versions: delete a schema", name, MaxVersions)
	case len(v.Notation) > MaxNotations-size:
		return nil, false, refusal.Errorf("schema %q: the notations of all schemas would have more than %d bytes: delete a schema", name, MaxNotations)
	}
	known := maps.Clone(*s.known.Load())
	if known == nil {
		known = make(map[string][]*Version)
	}
	known[name] = append(slices.Clone(versions), v)
	return known[name], true, s.become(known)
}

// errIncompatible returns the error for a new version that cannot read messages of the newest
// version. The error contains the first field that causes this.
func errIncompatible(name string, err error) error {
	const hint = "register it under another name, or delete the registered schema"
	var d *schema.Difference
	if !errors.As(err, &d) {
		return refusal.New(refusal.Mismatch, "schema %q: %s: %s", name, OneLine(err), hint)
	}
	return refusal.New(refusal.Mismatch, "schema %q cannot read messages of the registered version: the new version has %s, the registered one %s: %s",
		name, cmp.Or(d.New, "no further field"), cmp.Or(d.Old, "no further field"), hint).In(pathOf(cmp.Or(d.New, d.Old)))
}

// pathOf returns the path at the start of the text in a field of [schema.Difference]. In this text,
// a path is followed by a type.
func pathOf(field string) string {
	path, _, _ := strings.Cut(strings.TrimPrefix(field, "["), " ")
	return path
}

// Remove deletes a schema.
func (s *Schemas) Remove(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.Versions(name)) == 0 {
		return Missing(name)
	}
	known := maps.Clone(*s.known.Load())
	delete(known, name)
	return s.become(known)
}

// The function of returns the version with the given fingerprint, or nil if there is none.
func of(versions []*Version, fingerprint string) *Version {
	for _, v := range slices.Backward(versions) {
		if v.Fingerprint == fingerprint {
			return v
		}
	}
	return nil
}

// Find returns the version of a schema that has the given fingerprint. The argument `told` is the
// notation of the client's schema, or empty. If there is no such version and `told` is not empty,
// the error contains the first field that differs.
func (s *Schemas) Find(name, fingerprint, told string) (*Version, error) {
	versions := s.Versions(name)
	if len(versions) == 0 {
		return nil, Missing(name)
	}
	if v := of(versions, fingerprint); v != nil {
		return v, nil
	}
	return nil, errMismatch(name, fingerprint, told, versions[len(versions)-1])
}

// Missing returns the error for a schema that is not registered.
func Missing(name string) *refusal.Error {
	return refusal.New(refusal.NoSchema, "there is no schema %q: register it by PUT /v1/schemas/%s", name, name).In("schema")
}

// Unseen returns an error for an unknown schema. Its text contains no information about the
// registry.
func Unseen(name, fingerprint string) *refusal.Error {
	return refusal.New(refusal.NoSchema, "there is no schema %q with the fingerprint %s: an administrator of all databases must register it", name, fingerprint).In("schema")
}

// errMismatch returns an error that describes how the schema of a request differs from the newest
// version.
func errMismatch(name, fingerprint, told string, v *Version) error {
	head := fmt.Sprintf("schema %q has no version with the fingerprint %s; the newest version has %s", name, fingerprint, v.Fingerprint)
	if told == "" {
		if fingerprint == Hex(v.Shape.Fingerprint()) {
			return refusal.New(refusal.Mismatch, "%s; the request contains the fingerprint of that version without names: send its NamedFingerprint", head).In("fingerprint")
		}
		return refusal.New(refusal.Mismatch, "%s and is %s: send your schema in the header Slipstream-Schema to see which field differs, "+
			"or register it by PUT /v1/schemas/%s", head, Brief(v.Notation), name).In("fingerprint")
	}
	shape, err := schema.ParseShape(told)
	if err != nil {
		return refusal.New(refusal.Mismatch, "%s; the header Slipstream-Schema is not a valid schema: %s", head, OneLine(err)).In("Slipstream-Schema")
	}
	if sum := Hex(shape.NamedFingerprint()); sum != fingerprint {
		return refusal.New(refusal.Mismatch, "%s; the schema in the header Slipstream-Schema has the NamedFingerprint %s: send this fingerprint", head, sum).In("fingerprint")
	}
	yours, there, field := difference(slices.Collect(shape.Fields()), slices.Collect(v.Shape.Fields()), "")
	return refusal.New(refusal.Mismatch, "%s: your schema has %s, the newest version %s: use the newest version, or register yours by PUT /v1/schemas/%s",
		head, yours, there, name).In(field)
}

// difference returns the first field that differs between two structs. The results `inA` and `inB`
// describe this field in struct a and struct b. The result `path` is the path of the field.
func difference(a, b []schema.Piece, outer string) (inA, inB, path string) {
	for k := range max(len(a), len(b)) {
		if k >= len(a) || k >= len(b) || textOfField(a[k]) != textOfField(b[k]) {
			a, b = a[min(k, len(a)):], b[min(k, len(b)):]
			break
		}
	}
	if len(a) > 0 && len(b) > 0 {
		x, y := a[0], b[0]
		if x.Kind() == schema.KindStruct && y.Kind() == schema.KindStruct && x.Name() == y.Name() && x.Tail() == y.Tail() {
			return difference(slices.Collect(x.Fields()), slices.Collect(y.Fields()), outer+x.Name()+".")
		}
	}
	text := func(fields []schema.Piece) string {
		if len(fields) == 0 {
			return "no further field"
		}
		path = outer + fields[0].Name()
		return Brief(outer + textOfField(fields[0]))
	}
	inB = text(b)
	return text(a), inB, path
}

func textOfField(f schema.Piece) string {
	text := strings.TrimPrefix(f.Name()+" "+f.String(), " ")
	if f.Tail() {
		return "[" + text + "]"
	}
	return text
}

// Hex returns a fingerprint as 16 hex digits.
func Hex(sum [8]byte) string { return hex.EncodeToString(sum[:]) }

// Brief returns the notation, shortened if it is long.
func Brief(notation string) string {
	const most = 500
	if len(notation) <= most {
		return notation
	}
	return strings.ToValidUTF8(notation[:most], "") + "…"
}

// OneLine returns the text of an error on one line. An error of package schema may contain several
// lines, one for each mistake.
func OneLine(err error) string {
	var lines []string
	for line := range strings.Lines(err.Error()) {
		lines = append(lines, strings.TrimPrefix(strings.TrimSpace(line), "schema: "))
	}
	return Brief(strings.Join(lines, "; "))
}

// IsFingerprint reports whether s has the form of a fingerprint: 16 hex digits in lower case.
func IsFingerprint(s string) bool {
	for i := range len(s) {
		if c := s[i]; !names.IsDigit(c) && (c < 'a' || c > 'f') {
			return false
		}
	}
	return len(s) == 16
}
