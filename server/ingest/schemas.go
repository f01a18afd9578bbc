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

// Schemas is the registry of schemas: the versions of each schema by name, the newest last. A
// version is saved to a file before it is confirmed:
//
//	{"version": 1, "schemas": [{"name": "cpu", "versions": ["{time i64, host str8}"]}]}
//
// A version is identified by its fingerprint, which includes the names of fields, because they name
// columns.
type Schemas struct {
	disk  disk.Disk
	path  string
	known atomic.Pointer[map[string][]*version] // what the file says; neither it nor what is in it changes
	mu    disk.Mutex                            // held while another is made of it
}

// version is one version of a schema.
type version struct {
	shape       *schema.Shape
	notation    string
	fingerprint string // 16 hex digits
	columns     *schema.Columns
}

// newVersion is a shape as a version. The error is that of one that no table can take. Its rules,
// and those of [schema.ParseShape], may never become stricter: what they allowed is in registries
// and logs, which must be read. A new rule for what is registered belongs in checkVersion.
func newVersion(s *schema.Shape) (*version, error) {
	columns, err := s.Columns()
	if err != nil {
		return nil, err
	}
	return &version{s, s.String(), hexOf(s.NamedFingerprint()), columns}, nil
}

// Bounds of the registry: of a schema as JSON, in bytes, and of the versions of all schemas, in
// number and in bytes of their notations. Each change writes them all, and in memory a version
// takes up to 45 times its notation.
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

// OpenSchemas reads the file. If there is none, the registry is empty.
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

// become writes the file, and then is what it says.
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

// versions are those of a schema, or none.
func (s *Schemas) versions(name string) []*version { return (*s.known.Load())[name] }

// all yields the schemas by name.
func (s *Schemas) all() iter.Seq2[string, []*version] { return inOrder(*s.known.Load()) }

// count is how many versions there are, and the bytes of their notations.
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

// put registers a version, unless it is there already, and gives the versions that there are then.
// It must be able to read what the newest has written.
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

// errIncompatible says which field keeps a version from reading what the newest has written.
func errIncompatible(name string, err error) error {
	const hint = "register it under another name, or delete the one that is there"
	var d *schema.Difference
	if !errors.As(err, &d) {
		return refuse(Mismatch, "schema %q: %s: %s", name, oneLine(err), hint)
	}
	return refuse(Mismatch, "schema %q cannot read what the one that is registered writes: it has %s where that has %s: %s",
		name, cmp.Or(d.New, "no further field"), cmp.Or(d.Old, "no further field"), hint).in(pathOf(cmp.Or(d.New, d.Old)))
}

// pathOf is the path of a field that stands in a [schema.Difference], before its type.
func pathOf(field string) string {
	path, _, _ := strings.Cut(strings.TrimPrefix(field, "["), " ")
	return path
}

// remove forgets a schema.
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

// of is the version with a fingerprint, or nil.
func of(versions []*version, fingerprint string) *version {
	for _, v := range slices.Backward(versions) {
		if v.fingerprint == fingerprint {
			return v
		}
	}
	return nil
}

// find is the version that a request is coded by. told is the notation of the client's schema, or
// empty: with it the error says which field differs.
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

// errUnseen tells as much of the registry as its sender has told.
func errUnseen(name, fingerprint string) *refusal {
	return refuse(NoSchema, "there is no schema %q with the fingerprint %s: one who administers all databases registers it", name, fingerprint).in("schema")
}

// errMismatch says how the schema of a request differs from the newest version.
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

// difference is what the first field is that two structs do not have alike, and its path.
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

// brief is a notation, or the beginning of a long one.
func brief(notation string) string {
	const most = 500
	if len(notation) <= most {
		return notation
	}
	return strings.ToValidUTF8(notation[:most], "") + "…"
}

// oneLine is an error of schema, which may list several mistakes, on a line.
func oneLine(err error) string {
	var lines []string
	for line := range strings.Lines(err.Error()) {
		lines = append(lines, strings.TrimPrefix(strings.TrimSpace(line), "schema: "))
	}
	return brief(strings.Join(lines, "; "))
}
