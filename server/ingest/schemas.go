package ingest

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
)

// Schemas is the registry of schemas. It contains the versions of each schema by name, with the
// newest version at the end. The registry writes a version to a file before it confirms the
// version:
//
//	{"version": 1, "schemas": [{"name": "cpu", "versions": ["{time i64, host str8}"]}]}
//
// A fingerprint identifies a version. The fingerprint includes the names of fields, because these
// are the names of the columns.
type Schemas struct {
	disk  disk.Disk
	path  string
	known atomic.Pointer[map[string][]*version] // content of the file; the map and all its values are immutable
	mu    disk.Mutex                            // held while a changed copy of known is made
}

// version is one version of a schema.
type version struct {
	shape       *schema.Shape
	notation    string
	fingerprint string // 16 hex digits
	columns     *schema.Columns
}

// newVersion returns a version with the given shape. It returns an error if no table can store the
// values. The rules of newVersion and of [schema.ParseShape] must never become stricter: registries
// and logs contain schemas that the rules allowed, and must remain readable. A new rule for
// registration belongs in checkVersion.
func newVersion(s *schema.Shape) (*version, error) {
	columns, err := s.Columns()
	if err != nil {
		return nil, err
	}
	return &version{s, s.String(), hexOf(s.NamedFingerprint()), columns}, nil
}

// These are the limits of the registry: the size of a schema as JSON in bytes, the number of
// versions of all schemas, and the total size of their notations in bytes. Each change writes all
// versions to the file. In memory, a version uses up to 45 times the length of its notation.
const (
	maxDefinition = 128 << 10
	maxVersions   = 1000
	maxNotations  = 4 << 20
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

// OpenSchemas returns a registry with the content of the file at path. If the file does not exist,
// the registry is empty.
func OpenSchemas(d disk.Disk, path string) (*Schemas, error) {
	s := newSchemas(d, path)
	text, err := disk.ReadFile(d, path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		err = s.parse(text)
	}
	if err != nil {
		return nil, fmt.Errorf("ingest: schemas %s: %w", path, err)
	}
	return s, nil
}

func newSchemas(d disk.Disk, path string) *Schemas {
	s := &Schemas{disk: d, path: path}
	s.known.Store(new(map[string][]*version))
	return s
}

func (s *Schemas) parse(text []byte) error {
	const hint = "mend it, or move it away and register the schemas again"
	var f schemasFile
	if err := json.Unmarshal(text, &f); err != nil {
		return fmt.Errorf("%w: %s", err, hint)
	}
	if f.Version != schemasVersion {
		return fmt.Errorf("version %d is not supported (this program reads version %d); use the version that wrote it", f.Version, schemasVersion)
	}
	known := make(map[string][]*version)
	for _, e := range f.Schemas {
		for _, notation := range e.Versions {
			shape, err := schema.ParseShape(notation)
			if err != nil {
				return fmt.Errorf("schema %q: %w: %s", e.Name, err, hint)
			}
			v, err := newVersion(shape)
			if err != nil {
				return fmt.Errorf("schema %q: %w: %s", e.Name, err, hint)
			}
			known[e.Name] = append(known[e.Name], v)
		}
	}
	s.known.Store(&known)
	return nil
}

// become writes a new content to the file, and then makes it the content of the registry.
func (s *Schemas) become(known map[string][]*version) error {
	f := schemasFile{Version: schemasVersion, Schemas: []schemaEntry{}}
	for name, versions := range inOrder(known) {
		e := schemaEntry{Name: name}
		for _, v := range versions {
			e.Versions = append(e.Versions, v.notation)
		}
		f.Schemas = append(f.Schemas, e)
	}
	text, err := json.MarshalIndent(f, "", "\t")
	if err == nil {
		err = disk.WriteFile(s.disk, s.path, append(text, '\n'))
	}
	if err != nil {
		return refuse(InDoubt, "the disk failed while the schemas were written: it is unknown whether they are; send it again (%v)", err)
	}
	s.known.Store(&known)
	return nil
}

// versions returns the versions of a schema, or nil if it does not exist.
func (s *Schemas) versions(name string) []*version { return (*s.known.Load())[name] }

// all yields the schemas in the order of their names.
func (s *Schemas) all() iter.Seq2[string, []*version] { return inOrder(*s.known.Load()) }

// count returns the number of versions, and the bytes of their notations.
func (s *Schemas) count() (n, size int) {
	for _, versions := range *s.known.Load() {
		n += len(versions)
		for _, v := range versions {
			size += len(v.notation)
		}
	}
	return n, size
}

func inOrder(known map[string][]*version) iter.Seq2[string, []*version] {
	return func(yield func(string, []*version) bool) {
		for _, name := range slices.Sorted(maps.Keys(known)) {
			if !yield(name, known[name]) {
				return
			}
		}
	}
}

// put registers a version, unless it is already registered. It returns all versions of the schema
// after the call. The new version v must be able to read messages of the version that was newest so
// far.
func (s *Schemas) put(name string, v *version) (versions []*version, created bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	versions = s.versions(name)
	if of(versions, v.fingerprint) != nil {
		return versions, false, nil
	}
	if n := len(versions); n > 0 {
		if verdict, err := schema.Compat(versions[n-1].shape, v.shape); verdict&schema.NewReadsOld == 0 {
			return nil, false, errIncompatible(name, err)
		}
	}
	switch n, size := s.count(); {
	case n >= maxVersions:
		return nil, false, invalid("schema %q: it would be one more than the %d versions of schemas there may be: delete one", name, maxVersions)
	case len(v.notation) > maxNotations-size:
		return nil, false, invalid("schema %q: the notations of all schemas would have more than %d bytes: delete one", name, maxNotations)
	}
	known := maps.Clone(*s.known.Load())
	if known == nil {
		known = make(map[string][]*version)
	}
	known[name] = append(slices.Clone(versions), v)
	return known[name], true, s.become(known)
}

// errIncompatible returns an error that contains the first field because of which a version cannot
// read messages of the newest version.
func errIncompatible(name string, err error) error {
	const hint = "register it under another name, or delete the one that is there"
	var d *schema.Difference
	if !errors.As(err, &d) {
		return refuse(Mismatch, "schema %q: %s: %s", name, oneLine(err), hint)
	}
	return refuse(Mismatch, "schema %q cannot read what the one that is registered writes: it has %s where that has %s: %s",
		name, cmp.Or(d.New, "no further field"), cmp.Or(d.Old, "no further field"), hint).in(pathOf(cmp.Or(d.New, d.Old)))
}

// pathOf returns the path in the text of a [schema.Difference]'s field. In that text, the path
// precedes the type.
func pathOf(field string) string {
	path, _, _ := strings.Cut(strings.TrimPrefix(field, "["), " ")
	return path
}

// remove deletes a schema.
func (s *Schemas) remove(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.versions(name)) == 0 {
		return errNoSchema(name)
	}
	known := maps.Clone(*s.known.Load())
	delete(known, name)
	return s.become(known)
}

// of returns the version with the given fingerprint, or nil.
func of(versions []*version, fingerprint string) *version {
	for _, v := range slices.Backward(versions) {
		if v.fingerprint == fingerprint {
			return v
		}
	}
	return nil
}

// find returns the version with which a request is encoded. The argument told is the notation of
// the client's schema, or empty. If told is not empty, the error contains the first field that
// differs.
func (s *Schemas) find(name, fingerprint, told string) (*version, error) {
	versions := s.versions(name)
	if len(versions) == 0 {
		return nil, errNoSchema(name)
	}
	if v := of(versions, fingerprint); v != nil {
		return v, nil
	}
	return nil, errMismatch(name, fingerprint, told, versions[len(versions)-1])
}

func errNoSchema(name string) *refusal {
	return refuse(NoSchema, "there is no schema %q: register it by PUT /v1/schemas/%s", name, name).in("schema")
}

// errUnseen returns an error that contains only information from the request.
func errUnseen(name, fingerprint string) *refusal {
	return refuse(NoSchema, "there is no schema %q with the fingerprint %s: one who administers all databases registers it", name, fingerprint).in("schema")
}

// errMismatch returns an error that describes how the schema of a request differs from the newest
// version.
func errMismatch(name, fingerprint, told string, v *version) error {
	head := fmt.Sprintf("schema %q has no version with the fingerprint %s; its newest has %s", name, fingerprint, v.fingerprint)
	if told == "" {
		if fingerprint == hexOf(v.shape.Fingerprint()) {
			return refuse(Mismatch, "%s, and that without its names: send that with names", head).in("fingerprint")
		}
		return refuse(Mismatch, "%s, and is %s: send yours as the header Slipstream-Schema to be told which field differs, "+
			"or register it by PUT /v1/schemas/%s", head, brief(v.notation), name).in("fingerprint")
	}
	shape, err := schema.ParseShape(told)
	if err != nil {
		return refuse(Mismatch, "%s; the header Slipstream-Schema is no schema: %s", head, oneLine(err)).in("Slipstream-Schema")
	}
	if sum := hexOf(shape.NamedFingerprint()); sum != fingerprint {
		return refuse(Mismatch, "%s; the schema in the header Slipstream-Schema has %s, names included: send that", head, sum).in("fingerprint")
	}
	yours, there, field := difference(slices.Collect(shape.Fields()), slices.Collect(v.shape.Fields()), "")
	return refuse(Mismatch, "%s: yours has %s where that has %s: use that one, or register yours by PUT /v1/schemas/%s",
		head, yours, there, name).in(field)
}

// difference returns the first field that differs between two structs. The results inA and inB
// describe the field in each struct, and path is the field's path.
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
		return brief(outer + textOfField(fields[0]))
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

func hexOf(sum [8]byte) string { return hex.EncodeToString(sum[:]) }

// brief returns a notation, and shortens it if it is long.
func brief(notation string) string {
	const most = 500
	if len(notation) <= most {
		return notation
	}
	return strings.ToValidUTF8(notation[:most], "") + "…"
}

// oneLine returns the text of an error on one line. An error of package schema may contain several
// lines, one for each mistake.
func oneLine(err error) string {
	var lines []string
	for line := range strings.Lines(err.Error()) {
		lines = append(lines, strings.TrimPrefix(strings.TrimSpace(line), "schema: "))
	}
	return brief(strings.Join(lines, "; "))
}
