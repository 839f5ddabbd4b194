import { expect } from 'chai'
import { moveItem } from '#http/console/web/view/dashboards/arrange.ts'

describe('the order of tiles', () => {
  const at = (from: number, to: number) => moveItem(['a', 'b', 'c', 'd'], from, to).join('')

  it('has the moved tile at its new place, and the others in their order', () => {
    expect([at(0, 2), at(3, 0), at(1, 2), at(2, 2)]).to.deep.equal(['bcad', 'dabc', 'acbd', 'abcd'])
  })

  it('ends at both ends', () => {
    expect([at(1, -1), at(1, 9)]).to.deep.equal(['bacd', 'acdb'])
  })
})
