import { readFileSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import { azureSizes } from '#streams/cloud/reference/azure/sizes.ts'
import { ec2Sizes } from '#streams/cloud/reference/aws/sizes.ts'
import { priced, references, tables } from '#test/harness/reference.ts'
import { describeReal } from '#test/real/data.ts'

const jsonOf = (file: string): any => {
  const bytes = readFileSync(file)
  return JSON.parse((file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8'))
}

const usd = (type: string, name: string, region?: string) => references.price(priced(type, name, {}, region), undefined)

/** Where our answer is another than the oracle's, and why. */
const full = 'needs more vCPUs than it has: the oracle leaves it as it is, we name what is large enough'
const differences: Readonly<Record<string, string>> = {
  'shared:190': full,
  'shared:244': full,
  'shared:272': full,
  'shared:281': full,
  'shared:626': full,
  'shared:636': full,
}

describeReal('rightsizing of machines that ran', (folder) => {
  const { vms } = jsonOf(path.join(folder, 'expected/rightsizing_oracle.json')) as {
    vms: Record<
      string,
      { provisioned: [number, number]; current: [string, number]; needVcpu: number; target: [string, number] }
    >
  }
  const families = ['m5', 'c5', 'r5', 'm6i', 'c6i', 'r6i', 'm7i', 'c7i', 'r7i', 't3']
  const oracles = tables.at({ now: new Date(0), families })
  const needOf = ({ provisioned: [, mib], needVcpu }: (typeof vms)[string]) => ({
    vcpus: needVcpu,
    memory_gib: mib / 1024,
  })

  it('finds what the oracle finds within its families, but for machines that are full', () => {
    const other: Record<string, string> = {}
    for (const [id, vm] of Object.entries(vms)) {
      const found = oracles.fit('ec2', ['arch'], needOf(vm), priced('aws-ec2', vm.current[0]))
      if (found?.['instance_type'] !== vm.target[0]) other[id] = differences[id] ?? `finds ${JSON.stringify(found)}`
    }
    expect(other).to.deep.equal(differences)
  })

  it('saves the 15.27 % of the oracle, where full machines stay as they are', () => {
    let now = 0
    let then = 0
    for (const [id, vm] of Object.entries(vms)) {
      const of = priced('aws-ec2', vm.current[0])
      const target = differences[id] ? undefined : oracles.fit('ec2', ['arch'], needOf(vm), of)
      now += references.price(of, undefined)!
      then += references.price(of, target)!
    }
    expect([now, then, 100 * (1 - then / now)].map((figure) => figure.toFixed(4))).to.deep.equal([
      '3.5408',
      '3.0000',
      '15.2734',
    ])
  })

  it('never names less than a machine needs, with all families and the rules of the catalogue', () => {
    for (const [id, vm] of Object.entries(vms)) {
      const need = needOf(vm)
      const found = references.fit('ec2', ['arch', 'burst', 'generation'], need, priced('aws-ec2', vm.current[0]))
      if (found === undefined) {
        // No machine with a shared processor has so many.
        expect(need.vcpus, id).to.be.greaterThan(8)
        continue
      }
      expect(found['vcpus'], id).to.be.at.least(need.vcpus)
      expect(found['memory_gib'], id).to.be.at.least(need.memory_gib)
      if (!differences[id]) expect(usd('aws-ec2', String(found['instance_type'])), id).to.be.at.most(vm.target[1])
    }
  })
})

describeReal('prices and sizes against the lists they come from', (folder) => {
  const expected = jsonOf(path.join(folder, 'expected/prices.json'))
  const of = (name: string) => expected[`shared/pricing/${name}`]

  it('has all sizes and prices of EC2 in us-east-1', () => {
    const all = [...ec2Sizes().values()]
    const known = all.filter(({ vcpus }) => vcpus !== undefined)
    const { types, vcpuTotal, arm64 } = of('aws_instance_types.json.gz')
    expect(known.length).to.equal(types)
    expect(known.reduce((sum, { vcpus }) => sum + vcpus!, 0)).to.equal(vcpuTotal)
    // The list has arm64_mac beside, which is no target; of its own it counts 396.
    expect(known.filter(({ arch }) => arch === 'arm64').length).to.equal(arm64)
    const prices = all.flatMap(({ usdHour }) => usdHour ?? [])
    const list = of('aws_on_demand_karpenter.json.gz')
    expect(prices.length).to.equal(list.regions['us-east-1'])
    expect(prices.reduce((sum, price) => sum + price, 0)).to.be.closeTo(list.sum['us-east-1'], 1e-3)
    expect(usd('aws-ec2', 't4g.nano')).to.equal(list.min['us-east-1'][1])
  })

  it('has the prices of Azure in each of its 37 regions within 2.1 %, and none where a size is not sold', () => {
    const list: Record<string, Record<string, number>> = jsonOf(
      path.join(folder, 'pricing/azure_on_demand_karpenter.json.gz'),
    )
    const wrong: string[] = []
    let compared = 0
    const inReference = list['eastus']!
    for (const [region, prices] of Object.entries(list))
      for (const name of azureSizes().keys()) {
        // A price of 0 is a gap in the list; sizes that eastus does not sell have no reference.
        if (!inReference[name]) continue
        const ours = usd('azure-vm', name, region)
        const theirs = prices[name] || undefined
        compared += 1
        const isRight = theirs === undefined ? ours === undefined : Math.abs((ours ?? 0) / theirs - 1) <= 0.021
        if (!isRight) wrong.push(`${region} ${name}: ${ours} for ${theirs}`)
      }
    expect(Object.keys(list).length).to.equal(Object.keys(of('azure_on_demand_karpenter.json.gz').regions).length)
    expect(compared).to.be.greaterThan(55_000)
    expect(wrong).to.deep.equal([])
  })

  it('has the figures that are told of the lists one by one', () => {
    const figures = {
      'aws-ec2': { 'm5.large': 0.096, 't3.micro': 0.0104, 'c5.xlarge': 0.17, 'r5.large': 0.126, 'm7g.large': 0.0816 },
      'azure-vm': { Standard_D2s_v3: 0.096, Standard_B2s: 0.0416, Standard_DS2_v2: 0.146 },
      'gcp-vm': { 'n1-standard-1': 0.0475, 'n2-standard-4': 0.1942, 'e2-standard-2': 0.06701 },
    }
    for (const [type, sizes] of Object.entries(figures))
      for (const [name, price] of Object.entries(sizes)) expect(usd(type, name), name).to.be.closeTo(price, 5e-5)
  })

  it('makes no size free that a list has for 0', () => {
    const dirty = jsonOf(path.join(folder, 'pricing/libcloud_on_demand_2023-08-06.json.gz')).ec2_linux
    const zero = Object.keys(dirty).filter((name) => dirty[name]['us-east-1'] === 0)
    expect(zero.length).to.equal(175)
    for (const name of zero) expect(usd('aws-ec2', name) ?? Infinity, name).to.be.greaterThan(0)
  })

  it('says of findings of the providers themselves what they say: a fifth of gp2, a third of m5a.xlarge as r5a.large', () => {
    // 3.20 to 2.56, saves 0.64 (20 %); the second is told as 35 %, over licences and hours that prices do not hold.
    const gp2 = priced('aws-ebs-volume', '', { 'specs.volume_type': 'gp2', 'specs.iops': 100, 'res.size_gb': 32 })
    const saved = 1 - references.price(gp2, { volume_type: 'gp3', iops: 3000 })! / references.price(gp2, undefined)!
    expect(saved).to.be.closeTo(0.2, 1e-9)
    expect(1 - usd('aws-ec2', 'r5a.large')! / usd('aws-ec2', 'm5a.xlarge')!).to.be.closeTo(0.35, 0.01)
  })
})
