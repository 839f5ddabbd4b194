import { expect } from 'chai'
import { everyRoute, askedOperations } from '#test/console/operations.ts'

describe('what the console asks', () => {
  it('is the public API alone', () => {
    const known = new Set(everyRoute.filter((r) => r.permission !== 'internal').map((r) => `${r.method} ${r.path}`))
    expect(askedOperations().filter((name) => !known.has(name))).to.deep.equal([])
    expect(askedOperations()).to.include.members(['GET /reports/costs/series', 'GET /reports/receipt'])
  })
})
