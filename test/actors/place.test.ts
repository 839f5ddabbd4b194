import { expect } from 'chai'
import { actors } from '#actors/index.ts'
import { orgWide } from '#engine/actor/subject.ts'

describe('the rows of actors', () => {
  it('are loaded where their messages look for them: who has no column of a place is of the whole organization', () => {
    const wrong = actors.flatMap(({ kind, address, reactions }) => {
      if (address.place !== undefined) return []
      return Array.from(reactions.values()).flatMap(({ subject }) =>
        subject.examples
          .filter((example) => subject.place && subject.place(example as never) !== orgWide)
          .map(() => `${kind}: ${subject.name}`),
      )
    })
    expect([...new Set(wrong)]).to.deep.equal([])
  })
})
