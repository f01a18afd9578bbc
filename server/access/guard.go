package access

import (
	"fmt"
	"net/http"
	"sync/atomic"
)

// Guard checks the token of each request, and decides whether the request is admitted. It counts
// rejected requests.
type Guard struct {
	tokens  atomic.Pointer[Tokens]
	refused [Reasons]atomic.Int64
}

// NewGuard returns a guard that accepts the tokens in t. If t is nil, the guard admits every
// request.
func NewGuard(t *Tokens) *Guard {
	g := &Guard{}
	g.Set(t)
	return g
}

// Set replaces the accepted tokens. The new tokens apply only to later requests.
func (g *Guard) Set(t *Tokens) {
	if t == nil {
		t = &Tokens{}
	}
	g.tokens.Store(t)
}

// Reason is the reason why a request is rejected.
type Reason uint8

const (
	NoToken       Reason = iota // 401
	UnknownToken                // 401
	LacksRight                  // 403
	OtherDatabase               // 403; also if the request concerns several databases and the token does not include all of them

	Reasons // number of reasons
)

var reasonNames = [Reasons]string{NoToken: "no_token", UnknownToken: "unknown_token", LacksRight: "right", OtherDatabase: "database"}

func (r Reason) String() string { return reasonNames[r] }

// Refusal is the error for a request that is not admitted. Its text is sent to the client.
type Refusal struct {
	Reason Reason
	text   string
}

func (r *Refusal) Error() string { return r.text }

// Forbidden reports whether the token is valid but does not allow the request (status 403). If
// Forbidden returns false, the request has no valid token (status 401).
func (r *Refusal) Forbidden() bool { return r.Reason >= LacksRight }

// These are the values of the header WWW-Authenticate, as defined by RFC 6750.
const (
	Challenge         = `Bearer realm="slipstream"`                             // for a 401
	InsufficientScope = `Bearer realm="slipstream", error="insufficient_scope"` // for a 403
)

// Admit returns the grant of the request's token. If the grant does not include the given right on
// all databases of the scope s, Admit counts and returns a refusal instead. The text of the refusal
// mentions no database except the one in the request.
func (g *Guard) Admit(r *http.Request, right Right, s Scope) (*Grant, *Refusal) {
	grant, refused := g.check(r, right, s)
	if refused != nil {
		g.refused[refused.Reason].Add(1)
		return nil, refused
	}
	return grant, nil
}

// Allows reports whether Admit would admit a request. It does not count refusals.
func (g *Guard) Allows(r *http.Request, right Right, s Scope) bool {
	_, refused := g.check(r, right, s)
	return refused == nil
}

func (g *Guard) check(r *http.Request, right Right, s Scope) (*Grant, *Refusal) {
	tokens := g.tokens.Load()
	if tokens.Len() == 0 {
		return everything, nil
	}
	secret := secretOf(r)
	grant := tokens.grant(secret)
	switch {
	case grant == nil && secret == "":
		return nil, &Refusal{NoToken, noValidToken}
	case grant == nil:
		return nil, &Refusal{UnknownToken, noValidToken}
	case !grant.Has(right):
		return nil, &Refusal{LacksRight, fmt.Sprintf("the token lacks the right to %v: send a token that has it", right)}
	case grant.covers(s):
		return grant, nil
	case s.kind == all:
		return nil, &Refusal{OtherDatabase, "the request concerns all databases, but the token is only for some: send a token for all databases"}
	}
	return nil, &Refusal{OtherDatabase, fmt.Sprintf("the token is not for the database %.64q: send a token for it, or name a database of the token", s.database)}
}

const noValidToken = "no valid token: send a token of the service as Authorization: Bearer TOKEN"

// Refused returns the number of rejected requests for each Reason.
func (g *Guard) Refused() (n [Reasons]int64) {
	for i := range n {
		n[i] = g.refused[i].Load()
	}
	return n
}
