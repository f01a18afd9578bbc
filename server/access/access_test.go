package access

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

func tokensOf(t *testing.T, lines ...string) *Tokens {
	t.Helper()
	tokens := &Tokens{}
	if err := tokens.AddLines(strings.Join(lines, "\n")); err != nil {
		t.Fatal(err)
	}
	return tokens
}

func requestOf(header ...string) *http.Request {
	r := httptest.NewRequest("GET", "/", nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return r
}

func bearer(token string) *http.Request { return requestOf("Authorization", "Bearer "+token) }

// Each form of a line grants the expected rights to the expected databases.
func TestLines(t *testing.T) {
	g := NewGuard(tokensOf(t,
		"# a comment db=x", "", "  plain  ", "everything db=* rights=write,read,administer", "\twriter\trights=write\tdb=a,b ",
		"prefix db=team-*,x rights=read", "admin rights=administer", "one db=a\r", "plain", "one db=a", "sum== rights=read"))
	databases := []string{"a", "b", "x", "xy", "team-", "team-a", "team", "A", "", "*"}
	for token, want := range map[string]struct {
		rights    Right
		databases string // accessible databases of the list above; the field `all` is about the scope All
		all       bool
	}{
		"plain":      {every, "a b x xy team- team-a team A  *", true},
		"everything": {every, "a b x xy team- team-a team A  *", true},
		"admin":      {Administer, "a b x xy team- team-a team A  *", true},
		"sum==":      {Read, "a b x xy team- team-a team A  *", true},
		"writer":     {Write, "a b", false},
		"prefix":     {Read, "x team- team-a", false},
		"one":        {every, "a", false},
	} {
		for _, right := range []Right{Write, Read, Administer} {
			has := want.rights&right != 0
			if got := g.Allows(bearer(token), right, Own); got != has {
				t.Errorf("%s, %v: %v", token, right, got)
			}
			if got := g.Allows(bearer(token), right, All); got != (has && want.all) {
				t.Errorf("%s, %v of all: %v", token, right, got)
			}
			var reached []string
			for _, db := range databases {
				if g.Allows(bearer(token), right, Database(db)) {
					reached = append(reached, db)
				}
			}
			if has && strings.Join(reached, " ") != want.databases || !has && reached != nil {
				t.Errorf("%s, %v: %q", token, right, reached)
			}
		}
	}
	if n := g.tokens.Load().Len(); n != 7 {
		t.Errorf("%d tokens", n)
	}
	if g.Refused() != [Reasons]int64{} {
		t.Error("what is only asked is counted")
	}
}

// An error contains the number of the line and the allowed words. It contains no word of the line.
func TestErrorsNameTheLineAndNoSecret(t *testing.T) {
	const allowed = "line 3: unknown word after the token; only db=… and rights=… are allowed, and a token has no spaces"
	for line, want := range map[string]string{
		"secret hidden":                    allowed,
		"secret hidden=":                   allowed,
		"secret right=write":               allowed,
		"secret # hidden":                  allowed,
		"secret RIGHTS=write":              allowed,
		"secret , db=a":                    allowed,
		"secret rights=hidden":             "line 3: rights= must be a comma-separated list of write, read, administer, without spaces",
		"secret rights=":                   "line 3: rights= must be a comma-separated list of write, read, administer, without spaces",
		"secret rights=write,":             "line 3: rights= must be a comma-separated list of write, read, administer, without spaces",
		"secret rights=Write":              "line 3: rights= must be a comma-separated list of write, read, administer, without spaces",
		"secret rights=*":                  "line 3: rights= must be a comma-separated list of write, read, administer, without spaces",
		"secret rights=read rights=write":  "line 3: rights= is set twice",
		"secret db=a db=b":                 "line 3: db= is set twice",
		"secret db=":                       "line 3: db= must be a comma-separated list of databases, without spaces; names have letters, digits, _ - and ., and may end with *",
		"secret db=a,,b":                   "line 3: db= must be a comma-separated list of databases, without spaces; names have letters, digits, _ - and ., and may end with *",
		"secret db=a, b":                   "line 3: db= must be a comma-separated list of databases, without spaces; names have letters, digits, _ - and ., and may end with *",
		"secret db=*a":                     "line 3: db= must be a comma-separated list of databases, without spaces; names have letters, digits, _ - and ., and may end with *",
		"secret db=hidden/x":               "line 3: db= must be a comma-separated list of databases, without spaces; names have letters, digits, _ - and ., and may end with *",
		"secret db=hiddén":                 "line 3: db= must be a comma-separated list of databases, without spaces; names have letters, digits, _ - and ., and may end with *",
		"db=a rights=read":                 "line 3: missing token before db=… or rights=…",
		"rights=read secret":               "line 3: missing token before db=… or rights=…",
		"first rights=read":                "line 3: same token as line 2 with other rights or databases; remove one",
		"first db=first":                   "line 3: same token as line 2 with other rights or databases; remove one",
		"# nothing but it\n\nfirst db=a,b": "line 5: same token as line 2 with other rights or databases; remove one",
	} {
		err := new(Tokens).AddLines("# comment\nfirst\n" + line + "\nlast\n")
		if err == nil || err.Error() != want {
			t.Errorf("%q: %v", line, err)
		} else if strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%q: the error quotes it: %v", line, err)
		}
	}
	for _, text := range []string{"", "\n", "# none\n \n"} {
		if err := new(Tokens).AddLines(text); err == nil || err.Error() != "no token found; write one per line" {
			t.Errorf("%q: %v", text, err)
		}
	}
	if err := new(Tokens).Add("#secret", "--token"); err != nil {
		t.Errorf("a token that is no line of a file may begin with #: %v", err)
	}
}

// Each rejection has a reason and is counted by this reason. Its text mentions what is missing: a
// valid token, a right, or a database.
func TestRefusals(t *testing.T) {
	g := NewGuard(tokensOf(t, "all", "writer db=a rights=write", "reader rights=read db=b"))
	var want [Reasons]int64
	for _, c := range []struct {
		request *http.Request
		right   Right
		scope   Scope
		reason  Reason
		text    string
	}{
		{requestOf(), Write, Database("a"), NoToken, noValidToken},
		{requestOf("Authorization", "Bearer"), Write, Database("a"), NoToken, noValidToken},
		{requestOf("Authorization", "Basic all"), Write, Database("a"), NoToken, noValidToken},
		{requestOf("Authorization", "all"), Write, Database("a"), NoToken, noValidToken},
		{bearer("al"), Write, Database("a"), UnknownToken, noValidToken},
		{bearer("writer db=a rights=write"), Write, Database("a"), UnknownToken, noValidToken},
		{requestOf("X-Api-Key", "wrong"), Read, Own, UnknownToken, noValidToken},
		{bearer("writer"), Read, Own, LacksRight, "the token lacks the right to read: send a token that has it"},
		{bearer("writer"), Administer, All, LacksRight, "the token lacks the right to administer: send a token that has it"},
		{bearer("reader"), Write, Database("nowhere"), LacksRight, "the token lacks the right to write: send a token that has it"},
		{bearer("writer"), Write, Database("b"), OtherDatabase, `the token is not for the database "b": send a token for it, or name a database of the token`},
		{bearer("writer"), Write, Database(strings.Repeat("x", 1000)), OtherDatabase,
			`the token is not for the database "` + strings.Repeat("x", 64) + `": send a token for it, or name a database of the token`},
		{bearer("writer"), Write, Database("*"), OtherDatabase, `the token is not for the database "*": send a token for it, or name a database of the token`},
		{bearer("writer"), Write, Database(""), OtherDatabase, `the token is not for the database "": send a token for it, or name a database of the token`},
		{bearer("reader"), Read, All, OtherDatabase, "the request concerns all databases, but the token is only for some: send a token for all databases"},
	} {
		want[c.reason]++
		grant, refused := g.Admit(c.request, c.right, c.scope)
		if grant != nil || refused == nil || refused.Reason != c.reason || refused.Error() != c.text {
			t.Errorf("%v %v %v: %v %v", c.request.Header, c.right, c.scope, grant, refused)
		} else if refused.Forbidden() != (c.reason == LacksRight || c.reason == OtherDatabase) {
			t.Errorf("%v: %v", c.reason, refused.Forbidden())
		}
	}
	if got := g.Refused(); got != want {
		t.Errorf("counted %v, want %v", got, want)
	}
	for _, header := range [][]string{{"Authorization", "bearer  all"}, {"Authorization", "Token all"}, {"X-Api-Key", "all"}} {
		if _, refused := g.Admit(requestOf(header...), Administer, All); refused != nil {
			t.Errorf("%v: %v", header, refused)
		}
	}
}

// Tokens can be replaced. Without tokens, all requests are admitted.
func TestSet(t *testing.T) {
	g := NewGuard(nil)
	if grant, refused := g.Admit(requestOf(), Administer, All); refused != nil || !grant.SeesAll() {
		t.Error(refused)
	}
	g.Set(tokensOf(t, "a rights=read"))
	if g.Allows(requestOf(), Read, Own) || !g.Allows(bearer("a"), Read, All) || g.Allows(bearer("a"), Write, All) {
		t.Error("the first tokens are not in use")
	}
	g.Set(tokensOf(t, "a rights=write"))
	if g.Allows(bearer("a"), Read, All) || !g.Allows(bearer("a"), Write, All) {
		t.Error("the second tokens are not in use")
	}
}

// Any file yields either tokens or an error. An error contains no word of the file, except words of
// the format.
func FuzzLines(f *testing.F) {
	for _, text := range []string{"a", "a db=x rights=write", "a db=x*,y\nb rights=read,administer\n# c\n\n", "a b", "a db=", "db=a", "a\x00b\xff db=\xff", "a\na db=b"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tokens := &Tokens{}
		if err := tokens.AddLines(text); err != nil {
			for _, word := range strings.Fields(text) {
				if len(word) > len("administer,") && strings.Contains(err.Error(), word) {
					t.Errorf("the error has %q: %v", word, err)
				}
			}
			return
		}
		g := NewGuard(tokens)
		if tokens.Len() == 0 || g.Allows(requestOf(), Read, Own) {
			t.Errorf("%q: everybody is admitted", text)
		}
		for _, token := range tokens.list {
			if token.grant.rights == 0 || token.grant.rights&^every != 0 || len(token.grant.databases) == 0 || !slices.IsSorted(token.grant.databases) {
				t.Errorf("%q: %+v", text, token.grant)
			}
		}
	})
}
