package redact

import "github.com/promptecho/promptecho/internal/interaction"

// The names that callers still use.

func (p *Policy) Head(req *interaction.Request)      { p.RedactHead(req) }
func (p *Policy) Body(req *interaction.Request)      { p.RedactBody(req) }
func (p *Policy) Again(req *interaction.Request)     { p.RedactNew(req) }
func (p *Policy) Known() int                         { return p.Count() }
func (p *Policy) Holds(text []byte) bool             { return p.MayContain(text) }
func (p *Policy) HoldsSince(_ int, text []byte) bool { return p.MayContainAny(text) }
func (w *Written) MayHold(p *Policy, since int) bool { return w.MayContain(p, since) }
