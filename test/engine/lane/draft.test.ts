import { expect } from 'chai'
import { BatchDraft } from '#engine/lane/commit/draft.ts'
import type { RowShape } from '#engine/actor/row.ts'

const column = (name: string) => ({ property: name, column: name, type: 'text', isDate: false, isNullable: true })
const shape: RowShape = {
  table: 'toy',
  columns: ['org', 'place', 'key', 'a', 'b', 'c'].map(column),
  address: { orgId: 'org', place: 'place', key: 'key' },
}
const lease = { lane: 1, epoch: 1, cursor: 0, clock: 0, ends: 0, suspectUntil: 0, apart: { seq: 0, done: 0 } }
const row = (key: string, n = 1) => ({ org: 'o', place: 'p', key, a: n, b: n, c: n })
const part = (key: string, of: object) => ({ org: 'o', place: 'p', key, ...of })

describe('the rows of a draft', () => {
  it('are written by what changed of them where several changed alike, whole where one did, or in most columns', () => {
    const draft = new BatchDraft(lease, { cursor: 0, clock: 0, apart: { seq: 0, done: 0 } })
    draft.row(shape, 'upserts', row('new'))
    for (const key of ['x', 'y']) draft.update(shape, row(key, 2), ['a'])
    for (const key of ['u', 'v', 'w']) draft.update(shape, row(key, 3), ['a', 'c'])
    draft.update(shape, row('single', 4), ['b'])
    for (const key of ['most', 'too']) draft.update(shape, row(key, 5), ['place', 'a', 'b', 'c'])
    draft.row(shape, 'deletes', { orgId: 'o', place: 'p', key: 'gone' })
    expect(draft.done().commit.rows).to.deep.equal([
      {
        shape,
        upserts: [row('new'), row('single', 4), row('most', 5), row('too', 5)],
        updates: [
          { columns: ['a', 'c'], rows: ['u', 'v', 'w'].map((key) => part(key, { a: 3, c: 3 })) },
          { columns: ['a'], rows: ['x', 'y'].map((key) => part(key, { a: 2 })) },
        ],
        deletes: [{ orgId: 'o', place: 'p', key: 'gone' }],
      },
    ])
  })

  it('are few statements, the most frequent changes first', () => {
    const draft = new BatchDraft(lease, { cursor: 0, clock: 0, apart: { seq: 0, done: 0 } })
    const many = { ...shape, columns: [...shape.columns, ...'defgh'.split('').map(column)] }
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      const count = name === 'a' ? 2 : 3
      for (let n = 0; n < count; n++) draft.update(many, row(`${name}${n}`), [name])
    }
    const [changes] = draft.done().commit.rows
    expect(changes!.updates!.map(({ columns }) => columns)).to.deep.equal([['b'], ['c'], ['d'], ['e']])
    expect(changes!.upserts).to.deep.equal([row('a0'), row('a1')])
  })

  it('keep the marks of two organizations under one key apart', () => {
    const draft = new BatchDraft(lease, { cursor: 0, clock: 0, apart: { seq: 0, done: 0 } })
    const nothing = { facts: [], wrote: [], outbox: [], effects: [], signals: [], refused: [], ignored: [] }
    const marks = [{ projection: 'p', key: 'k' }]
    const outcome = { ...nothing, state: {}, removed: false, reminders: new Map(), replies: new Map(), marks }
    for (const orgId of ['o1', 'o2']) draft.take('toy', { orgId, place: '-', key: 'k' }, [], outcome as never)
    expect(draft.done().commit.marks.map(({ orgId }) => orgId)).to.deep.equal(['o1', 'o2'])
  })
})
