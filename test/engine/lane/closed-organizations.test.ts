import { expect } from 'chai'
import { ClosedOrganizations } from '#engine/lane/message/closed-organizations.ts'

describe('what a lane knows of closed organizations', () => {
  it('has a new version with each change, and the same one where nothing changed', async () => {
    let rows: { orgId: string; isDeleted: boolean }[] = []
    const closed = new ClosedOrganizations({ closedOrganizations: () => Promise.resolve(rows) }, { now: () => 0 })
    const versions: number[] = []
    for (const next of [
      [],
      [{ orgId: 'a', isDeleted: false }],
      [{ orgId: 'a', isDeleted: false }],
      [{ orgId: 'a', isDeleted: true }],
    ]) {
      rows = next
      await closed.load()
      versions.push(closed.version)
    }
    expect(versions).to.deep.equal([0, 1, 1, 2])
  })
})
