/** Configs of what is provisioned: their schemas, and what they let pass that cannot be. */
import { expect } from 'chai'
import fc from 'fast-check'
import { configProblems } from '#actors/catalog/config/check.ts'
import { configSchemas, nameOf, type Configs } from '#actors/catalog/config/config.ts'
import { decoder } from '#engine/value/schema.ts'
import { provisioningKinds, type ProvisioningKind } from '#streams/cloud/provision.ts'

const example = <Kind extends ProvisioningKind>(kind: Kind): Configs[Kind] =>
  (configSchemas[kind] as unknown as { examples: Configs[Kind][] }).examples[0]!
const wrongs = <Kind extends ProvisioningKind>(kind: Kind, fields: Partial<Configs[Kind]>) =>
  configProblems(kind, { ...example(kind), ...fields }).map(({ path, code }) => `${path} ${code}`)
const takes = (kind: ProvisioningKind, config: object): boolean => {
  try {
    decoder(configSchemas[kind])(config)
    return true
  } catch {
    return false
  }
}

describe('configs of what is provisioned', () => {
  const named: Partial<Record<ProvisioningKind, string>> = {
    kubernetes: ' [PROV-22]',
    datastore: ' [PROV-23]',
    vm_pool: ' [PROV-25]',
  }
  for (const kind of provisioningKinds)
    it(`of kind ${kind} take their own example, and it alone with all of its members${named[kind] ?? ''} [G-86]`, () => {
      const whole = example(kind) as Record<string, unknown>
      expect(takes(kind, whole)).to.equal(true)
      expect(configProblems(kind, whole as never)).to.deep.equal([])
      for (const name of Object.keys(whole)) {
        const { [name]: _, ...less } = whole
        expect(takes(kind, less), name).to.equal(false)
      }
    })

  it('take ports from 1 to 65535 [PROV-25]', () => {
    const of = (port: number) => takes('vm_pool', { ...example('vm_pool'), listenerPorts: [port] })
    expect([0, 1, 65_535, 65_536, 80.5].map(of)).to.deep.equal([false, true, true, false, false])
  })

  it('take names, versions and engines that clouds take [PROV-24]', () => {
    const called = (name: string) => takes('network', { ...example('network'), name })
    expect(['a', 'A-b_9', `a${'b'.repeat(62)}`].map(called)).to.deep.equal([true, true, true])
    expect(['', '9a', 'a b', 'a/b', `a${'b'.repeat(63)}`].map(called)).to.deep.equal([
      false,
      false,
      false,
      false,
      false,
    ])
    const version = (text: unknown) => takes('kubernetes', { ...example('kubernetes'), version: text })
    expect(['1.31', '16', '8.0.39', 'latest', '', 16].map(version)).to.deep.equal([
      true,
      true,
      true,
      false,
      false,
      false,
    ])
    const engine = (text: string) => takes('datastore', { ...example('datastore'), engine: text })
    expect(['postgres', 'mysql', 'redis', 'oracle'].map(engine)).to.deep.equal([true, true, true, false])
    const image = (name: string) => takes('registry', { name, immutableTags: false })
    expect(['images', 'team/shop-api', 'Images', '/images', 'images/'].map(image)).to.deep.equal([
      true,
      true,
      false,
      false,
      false,
    ])
  })

  it('keep min below max, and name nothing twice [PROV-22] [PROV-25]', () => {
    const group = { name: 'general', instanceType: 'm5.large', min: 2, max: 2 }
    expect(wrongs('kubernetes', { nodeGroups: [group] })).to.deep.equal([])
    expect(wrongs('kubernetes', { nodeGroups: [group, { ...group, min: 3 }] })).to.deep.equal([
      '/nodeGroups/1/max minimum',
      '/nodeGroups/1/name unique',
    ])
    expect(wrongs('kubernetes', { subnetIDs: ['s', 't', 's'] })).to.deep.equal(['/subnetIDs/2 unique'])
    expect(wrongs('vm_pool', { min: 9, max: 8 })).to.deep.equal(['/max minimum'])
    expect(wrongs('vm_pool', { listenerPorts: [80, 80] })).to.deep.equal(['/listenerPorts/1 unique'])
  })

  it('name a port for a load balancer that is made, and a size for what is kept on disk', () => {
    expect(wrongs('vm_pool', { listenerPorts: [] })).to.deep.equal(['/listenerPorts minItems'])
    expect(wrongs('vm_pool', { listenerPorts: [], createLoadBalancer: false })).to.deep.equal([])
    expect(wrongs('datastore', { allocatedStorageGB: 0 })).to.deep.equal(['/allocatedStorageGB minimum'])
    expect(wrongs('datastore', { allocatedStorageGB: 0, engine: 'redis' })).to.deep.equal([])
  })

  it('listen at a port once by TCP, and once by UDP', () => {
    const listener = (port: number, protocol: 'HTTP' | 'tcp' | 'UDP') => ({ port, protocol, targetPort: 80 })
    expect(wrongs('load_balancer', { listeners: [listener(80, 'HTTP'), listener(80, 'UDP')] })).to.deep.equal([])
    expect(wrongs('load_balancer', { listeners: [listener(80, 'HTTP'), listener(80, 'tcp')] })).to.deep.equal([
      '/listeners/1/port unique',
    ])
  })

  it('hold subnets within their network, and none within another [G-86]', () => {
    const subnet = (name: string, cidr: string) => ({ name, cidr, public: false })
    const of = (cidr: string, ...cidrs: string[]) =>
      wrongs('network', { cidr, subnets: cidrs.map((one, i) => subnet(`s${i}`, one)) })
    expect(of('10.0.0.0/16', '10.0.0.0/17', '10.0.128.0/17')).to.deep.equal([])
    expect(of('10.0.0.0/16', '10.0.0.0/16')).to.deep.equal([])
    expect(of('10.0.0.0/16', '10.1.0.0/24')).to.deep.equal(['/subnets/0/cidr outside'])
    expect(of('10.0.0.0/16', '10.0.0.0/15')).to.deep.equal(['/subnets/0/cidr outside'])
    expect(of('10.0.0.0/16', '10.0.0.0/17', '10.0.64.0/18')).to.deep.equal(['/subnets/1/cidr overlap'])
    expect(of('10.0.0.0/16', '10.0.0.1/24', 'here', '10.0.0.0/29', '10.0.0/24')).to.deep.equal(
      [0, 1, 2, 3].map((i) => `/subnets/${i}/cidr cidr`),
    )
    expect(of('10.0.0.0/7', '10.0.0.0/24')).to.deep.equal(['/cidr cidr'])
    expect(of('224.0.0.0/8', '224.255.0.0/16')).to.deep.equal([])
    expect(wrongs('network', { subnets: [subnet('a', '10.20.0.0/24'), subnet('a', '10.20.1.0/24')] })).to.deep.equal([
      '/subnets/1/name unique',
    ])
  })

  it('take every half of a network as a subnet, and never one beside it', () => {
    const bits = fc.integer({ min: 8, max: 27 })
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), bits, (start, length) => {
        const size = 2 ** (32 - length)
        const first = start - (start % size)
        const text = (at: number) => [24, 16, 8, 0].map((shift) => Math.floor(at / 2 ** shift) % 256).join('.')
        const cidr = `${text(first)}/${length}`
        const subnets = [first, first + size / 2].map((at, i) => ({
          name: `s${i}`,
          cidr: `${text(at)}/${length + 1}`,
          public: false,
        }))
        const beside = first >= size ? first - size : first + size
        const next = { name: 'x', cidr: `${text(beside)}/${length}`, public: false }
        return (
          wrongs('network', { cidr, subnets }).length === 0 &&
          (beside + size > 2 ** 32 || wrongs('network', { cidr, subnets: [next] })[0] === '/subnets/0/cidr outside')
        )
      }),
    )
  })

  it('have 64 KiB at most', () => {
    const values = (size: number) => ({ componentID: 'flux', values: { text: 'x'.repeat(size) } })
    const overhead = JSON.stringify(values(0)).length
    expect(configProblems('component', values(64 * 1024 - overhead))).to.deep.equal([])
    expect(
      configProblems('component', values(64 * 1024 - overhead + 1)).map(({ path, code }) => [path, code]),
    ).to.deep.equal([['', 'maxBytes']])
  })

  it('give what they make its name, where they have one', () => {
    const id = '0a1b2c3d-0000-4000-8000-000000000000'
    expect(provisioningKinds.map((kind) => nameOf(kind, example(kind) as never, id))).to.deep.equal([
      'shop',
      'postgres-0a1b2c3d',
      'workers',
      'shop',
      'images',
      'shop',
      'ingress-nginx',
      'orders',
    ])
  })
})
