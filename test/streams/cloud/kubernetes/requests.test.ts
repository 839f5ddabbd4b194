import fc from 'fast-check'
import { expect } from 'chai'
import { containersFor } from '#streams/cloud/kubernetes/pod/container-requests.ts'

const millicores = (quantity: unknown) => Number(/^(\d+)m$/.exec(String(quantity))![1])

describe('requests shared by the containers of a pod', () => {
  it('sum to exactly what is wanted, at least one unit each, none for what requests nothing', () => {
    const amounts = fc.array(fc.integer({ min: 0, max: 5000 }), { minLength: 2, maxLength: 8 })
    fc.assert(
      fc.property(amounts, fc.integer({ min: 8, max: 100_000 }), (now, total) => {
        fc.pre(now.some((one) => one > 0))
        const containers = now.map((cpu, at) => ({
          name: `c${at}`,
          ...(cpu > 0 && { resources: { requests: { cpu: `${cpu}m` } } }),
        }))
        const shared = containersFor({ containers }, { cpu_request_millicores: total }, 'web')
        const shares = shared.map(({ resources }) => millicores((resources as any).requests.cpu))
        expect(shared.map(({ name }) => name)).to.deep.equal(now.flatMap((cpu, at) => (cpu > 0 ? [`c${at}`] : [])))
        expect(shares.reduce((sum, one) => sum + one, 0)).to.equal(total)
        expect(Math.min(...shares)).to.be.at.least(1)
      }),
      { numRuns: 2000 },
    )
  })

  it('leave each its one unit where there is hardly more than that', () => {
    const containers = [1, 1, 1, 1, 1, 9, 9].map((cpu, at) => ({
      name: `c${at}`,
      resources: { requests: { cpu: `${cpu}m` } },
    }))
    const shared = containersFor({ containers }, { cpu_request_millicores: 8 }, 'web')
    const shares = shared.map(({ resources }) => (resources as any).requests.cpu)
    expect(shares).to.deep.equal(['1m', '1m', '1m', '1m', '1m', '2m', '1m'])
  })

  it('keep a container that asks for almost nothing alive', () => {
    const containers = ['999m', '1m'].map((cpu, at) => ({ name: `c${at}`, resources: { requests: { cpu } } }))
    const shared = containersFor({ containers }, { cpu_request_millicores: 10 }, 'web')
    expect(shared.map(({ resources }) => (resources as any).requests.cpu)).to.deep.equal(['9m', '1m'])
  })
})
