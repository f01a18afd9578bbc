package growth

// A Case measures one function with one family of inputs.
type Case struct {
	Name string
	// Prepare makes an input of about n bytes and returns the call to measure. Only the call is
	// measured.
	Prepare func(n int) func()
	// Alloc is the maximum number of bytes that the call may allocate per byte of input, in
	// addition to [slack].
	Alloc float64
	// Most is the largest n that the family supports, or 0 if there is no limit. For example,
	// nested values have a maximum depth.
	Most int
	// Long, if true, excludes the case from the short test.
	Long bool
	// OnlyAlloc, if true, turns off the check of the CPU time.
	OnlyAlloc bool

	call     string // name of the Call, set by Cross
	constant bool   // see Call
}

// A Call describes an exported function, or one of several ways to call it.
type Call[In any] struct {
	Name string // the exported names that the call covers, and then words that distinguish it from other calls: "Unmarshal any"
	// Run makes one call. Its result is not kept.
	Run func(In)
	// Start, if not nil, is used instead of Run. For each input it returns a new Run with its own
	// state.
	Start func() func(In)
	Alloc float64 // like Case.Alloc; the maximum over all families
	Long  bool
	// Constant, if true, permits a cost that does not grow with the size of the input in any
	// family.
	Constant bool
}

// A Family makes inputs of about n bytes. The inputs of n and 4n bytes differ only in length.
type Family[In any] struct {
	Name string
	Make func(n int) In
	Most int  // like Case.Most
	Long bool // like Case.Long
}

// Cross returns a case for each pair of a call and a family.
func Cross[In any](calls []Call[In], families []Family[In]) []Case {
	var cases []Case
	for _, c := range calls {
		for _, f := range families {
			cases = append(cases, Case{
				Name: c.Name + "/" + f.Name,
				Prepare: func(n int) func() {
					in, run := f.Make(n), c.Run
					if c.Start != nil {
						run = c.Start()
					}
					return func() { run(in) }
				},
				Alloc: c.Alloc, Most: f.Most, Long: c.Long || f.Long, call: c.Name, constant: c.Constant,
			})
		}
	}
	return cases
}

// A Held describes a test that sends one large message and then many small messages through the
// same objects and pools.
type Held struct {
	Name string
	// Start makes the objects, and returns a function that processes a message of about n bytes.
	// That function returns the values that a program would keep from the message. If the function
	// itself keeps inputs, Start should make these inputs.
	Start func(large, small int) func(n int) any
	// Kept is the maximum number of bytes that may stay in use per byte of the small messages if
	// their results are kept. If Kept is 0, no results are kept.
	Kept float64
	// Large is the size of the large message; 0 means 16 MB in the long test, and 2 MB in the short
	// test.
	Large int
}
