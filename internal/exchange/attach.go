package exchange

import "io"

// Attach adds what is closed with the recorder, such as a listener for its requests. It returns
// false if the recorder is closed.
func (p *Pending) Attach(c io.Closer) bool { return p.add(c) }

// Detach is the reverse of Attach.
func (p *Pending) Detach(c io.Closer) { p.remove(c) }
