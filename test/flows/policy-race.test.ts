/** Changes of one policy at the same time. */
import { expect } from 'chai'
import { policy, Tagged } from '#test/harness/tagged.ts'

describe('policies that several change at once', () => {
  it('are deleted once', async () => {
    const org = (await Tagged.begin()) as any
    const ids: string[] = []
    for (const key of ['a', 'b', 'c', 'd', 'e', 'f']) {
      const spec = policy(key, { fields: ['res.region'], join: '', standardize: true })
      ids.push((await org.send('POST', '/policies', spec)).body.data.id)
    }
    const statuses: number[][] = []
    for (const id of ids) {
      const answers = await Promise.all([1, 2, 3].map(() => org.send('DELETE', `/policies/${id}`)))
      statuses.push(answers.map(({ status }: { status: number }) => status).toSorted((a: number, b: number) => a - b))
    }
    expect(statuses).to.deep.equal(ids.map(() => [204, 404, 404]))
  })
})
