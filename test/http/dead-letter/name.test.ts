import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { letterId, letterName } from '#http/dead-letter/name.ts'

const secretOf = (text: string) => createHash('sha256').update(text).digest()
const [now, before, other] = [secretOf('now'), secretOf('before'), secretOf('other')]

describe('the name of a dead letter', () => {
  it('is one of an id, and says neither the lane nor the place in it', () => {
    const ids = ['3-1042-0', '3-1043-0', '3-1042-0-resource']
    const names = ids.map((id) => letterName(id, now))
    expect(new Set(names).size).to.equal(3)
    expect(names).to.deep.equal(ids.map((id) => letterName(id, now)))
    for (const name of names) expect(name).to.match(/^[\w-]{32,}$/)
    // Neighbours have nothing in common that would be worth comparing.
    expect(names[0]!.slice(0, 4)).to.not.equal(names[1]!.slice(0, 4))
    expect(Buffer.from(names[0]!, 'base64url').toString('latin1')).to.not.include('1042')
  })

  it('is read by the secret that made it, also after another has taken its place, and by no other', () => {
    const name = letterName('3-1042-0', before)
    expect(letterId(name, [now, before])).to.equal('3-1042-0')
    expect(letterId(name, [other])).to.equal(undefined)
  })

  it('is nothing that anybody could make up: neither an id nor a changed name', () => {
    const name = letterName('3-1042-0', now)
    const changed = `${name.slice(0, -1)}${name.endsWith('A') ? 'B' : 'A'}`
    for (const odd of ['3-1042-0', '', 'x', changed, `${name}A`, `${name} `, 'A'.repeat(2000), '\u0000', '\ud800'])
      expect(letterId(odd, [now]), odd).to.equal(undefined)
  })
})
