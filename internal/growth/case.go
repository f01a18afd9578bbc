package growth

// A Case is one family of inputs to one function.
type Case struct {
	Name string
	// Prepare makes an input of about n bytes and returns the call to measure. Only the call is
	// measured.
	Prepare func(n int) func()
	// Alloc is the most bytes that the call may allocate for each byte of n, besides [slack].
	Alloc float64
	// Most is the largest n for which the family exists, or 0: deep values end at a limit of depth.
	Most int
	// Long leaves the case out of the short form.
	Long bool
	// OnlyAlloc does not assert the CPU time.
	OnlyAlloc bool

	call     string // of Cross
	constant bool   // see Call
}

// A Call is an exported function, or a way to call it.
type Call[In any] struct {
	Name string // exported names that it covers, then what tells it from other calls: "Unmarshal any"
	// Run is one call. What its result refers to is dropped.
	Run func(In)
	// Start, if not nil, is used instead of Run: it returns a Run with state of its own, for each
	// input.
	Start func() func(In)
	Alloc float64 // as in Case, for the family that needs the most
	Long  bool
	// Constant says that the cost of the call need not grow with any family.
	Constant bool
}

// A Family makes inputs of about n bytes. The inputs of n and 4n bytes differ in nothing but
// length.
type Family[In any] struct {
	Name string
	Make func(n int) In
	Most int  // as in Case
	Long bool // as in Case
}

// Cross returns a case for each pair of call and family.
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

// A Held is messages through the same objects and pools: one large message, then many small ones.
type Held struct {
	Name string
	// Start makes the objects and returns the call for a message of about n bytes. The call returns
	// what a program would keep of the message; inputs that it keeps itself should be made by
	// Start.
	Start func(large, small int) func(n int) any
	// Kept is the most bytes held for each byte of the small messages whose results are kept. With
	// 0 none are kept.
	Kept float64
	// Large is the size of the large message; 0 is 16 MB in the long form, and 2 MB in the short
	// form.
	Large int
}
