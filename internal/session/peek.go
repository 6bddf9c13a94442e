package session

// State returns the state that Next would return, and receives nothing.
func (p *Player) State() State {
	p.group.mu.Lock()
	defer p.group.mu.Unlock()
	return p.state()
}

// HasReceivedAll reports whether no received message of the recording is left.
func (p *Player) HasReceivedAll() bool {
	p.group.mu.Lock()
	defer p.group.mu.Unlock()
	return p.received == len(p.rec().received)
}
