import { expect } from 'chai'
import { everyRoute, askedOperations, operationFiles, writtenFiles } from '#test/console/operations.ts'

describe('what the console asks', () => {
  it('is the public API alone', () => {
    const known = new Set(everyRoute.filter((r) => r.permission !== 'internal').map((r) => `${r.method} ${r.path}`))
    expect(askedOperations().filter((name) => !known.has(name))).to.deep.equal([])
    expect(askedOperations()).to.include.members(['GET /reports/costs/series', 'GET /reports/receipt'])
  })

  it('is typed as the routes declare it: node test/console/operations.ts writes the types anew', () => {
    expect(Object.fromEntries(writtenFiles())).to.deep.equal(Object.fromEntries(operationFiles()))
  })
})
