package mutation

import "github.com/promptecho/promptecho/internal/interaction"

// edit adds a mutation that changes the JSON of the response. change returns false if it cannot.
func (s *subject) edit(kind Kind, what, notice string, change func(d *document) bool) {
	changed := func() *interaction.Response {
		d := s.document()
		if !change(d) {
			return nil
		}
		return d.changed()
	}
	if changed() == nil {
		return
	}
	s.list = append(s.list, &Mutation{Kind: kind, What: what, Notice: notice, Response: changed})
}

// editControl adds the same response.
func (s *subject) editControl() {
	s.edit(Control, "the same response, written again", "", func(*document) bool { return true })
}
