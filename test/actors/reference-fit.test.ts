import { expect } from 'chai'
import { fact, fit, price, priced, tables } from '#test/harness/reference.ts'

const machine = ['arch', 'burst', 'generation']

/** The monthly saving that the prices say, of a cost of 30 days. */
const saving = (cost: number, now: number, then: number) => Number((cost * (1 - then / now)).toFixed(2))

describe('the cheapest size that meets every need', () => {
  const m5 = priced('aws-ec2', 'm5.2xlarge', { 'metric.cpu_percent.max.14d': 41 })
  // 8 vCPUs at 27.5 % for 70 %, 32 GiB at 33 % for 80 %.
  const need = { vcpus: (8 * 27.5) / 70, memory_gib: (32 * 33) / 80 }

  it('is m5a.xlarge for an m5.2xlarge that needs 3.143 vCPUs and 13.2 GiB, and saves 152.64 of 276.48 [REC-26]', () => {
    expect(fit('ec2', machine, need, m5)).to.deep.equal({ instance_type: 'm5a.xlarge', vcpus: 4, memory_gib: 16 })
    expect([price(m5, undefined), price(m5, { instance_type: 'm5a.xlarge' })]).to.deep.equal([0.384, 0.172])
    expect(saving(276.48, 0.384, 0.172)).to.equal(152.64)
  })

  it('keeps a dimension whose need is not known, and one that has no series', () => {
    const kept = { instance_type: 'r5a.xlarge', vcpus: 4, memory_gib: 32 }
    expect(fit('ec2', machine, { ...need, memory_gib: undefined }, m5)).to.deep.equal(kept)
    expect(fit('ec2', machine, { ...need, memory_gib: null }, m5)).to.deep.equal(kept)
  })

  it('is the present size where nothing cheaper fits, also where another costs as much', () => {
    const m7g = priced('aws-ec2', 'm7g.large')
    expect(fit('ec2', machine, { vcpus: 2, memory_gib: 8 }, m7g)).to.deep.include({ instance_type: 'm7g.large' })
    // m6i.xlarge costs 0.192 as m5.xlarge does; the cheaper AMD families are not allowed here.
    const only = tables.at({ now: new Date(0), families: ['M5', 'm6i'] })
    const m5x = priced('aws-ec2', 'm5.xlarge')
    expect(only.fit('ec2', machine, { vcpus: 4, memory_gib: 16 }, m5x)).to.deep.include({ instance_type: 'm5.xlarge' })
  })

  it('takes the newer of two at one price', () => {
    // m5.xlarge, m6i.xlarge: 0.192 both.
    const only = tables.at({ now: new Date(0), families: ['m5', 'm6i'] })
    expect(only.fit('ec2', machine, need, m5)).to.deep.include({ instance_type: 'm6i.xlarge' })
  })

  it('stays within the families that an organization allows', () => {
    const only = tables.at({ now: new Date(0), families: ['m7i'] })
    expect(only.fit('ec2', machine, need, m5)).to.deep.include({ instance_type: 'm7i.xlarge' })
  })

  it('is never below the highest use that was seen', () => {
    const peaking = priced('aws-ec2', 'm5.2xlarge', { 'metric.cpu_percent.max.14d': 51 })
    expect(fit('ec2', machine, need, peaking)).to.deep.include({ vcpus: 8 })
  })

  it('names a larger size for a machine that is full, never a smaller one', () => {
    for (const name of ['m5.2xlarge', 't3.2xlarge', 'c6i.2xlarge', 'r7g.2xlarge']) {
      const found = fit('ec2', machine, { vcpus: 8.4 / 0.7, memory_gib: 8 }, priced('aws-ec2', name))
      expect((found?.['vcpus'] as number | undefined) ?? Infinity, name).to.be.at.least(12)
    }
  })

  it('keeps the disk of the machine, its architecture, and shared processors apart from others', () => {
    const local = priced('aws-ec2', 'm5d.2xlarge')
    // m5ad.xlarge 0.206, m5d.xlarge 0.226, m6id.xlarge 0.2373.
    expect(fit('ec2', machine, need, local)).to.deep.include({ instance_type: 'm5ad.xlarge' })
    const arm = priced('aws-ec2', 'm6g.2xlarge')
    expect(fit('ec2', machine, need, arm)).to.deep.include({ instance_type: 'm6g.xlarge' })
    const burst = priced('aws-ec2', 't3.2xlarge')
    expect(fit('ec2', machine, need, burst)).to.deep.include({ instance_type: 't3a.xlarge' })
  })

  it('leaves shared processors where that is asked for', () => {
    const t3 = priced('aws-ec2', 't3.large')
    const found = fit('ec2', ['arch'], { vcpus: 1.5, memory_gib: 8, burstable: false }, t3)
    // m5a.large and m6a.large: 0.086 and 0.0864.
    expect(found).to.deep.equal({ instance_type: 'm5a.large', vcpus: 2, memory_gib: 8 })
  })

  it('gives machines with accelerators nothing but their own family, with vCPUs and memory where those alone are asked for', () => {
    const g5 = priced('aws-ec2', 'g5.12xlarge')
    // 48 vCPUs and 192 GiB: of the family's sizes with one accelerator or more the cheapest is g5.16xlarge, 4.096 against 5.672.
    expect(fit('ec2', ['arch', 'gpu_class'], { gpus: 1 }, g5)).to.deep.include({ instance_type: 'g5.16xlarge' })
    const g4 = priced('aws-ec2', 'g4dn.xlarge')
    expect(fit('ec2', ['arch'], { vcpus: 1, memory_gib: 4 }, g4)).to.deep.include({ instance_type: 'g4dn.xlarge' })
    expect(fit('ec2', machine, { vcpus: 1, memory_gib: 4 }, priced('aws-ec2', 'inf1.2xlarge'))).to.equal(undefined)
  })

  it('never names metal, flex, accelerators or machines of one purpose', () => {
    const names = ['m5.24xlarge', 'm5.2xlarge', 'c5.4xlarge', 'r5.8xlarge', 'm4.xlarge', 't2.large', 'x2idn.16xlarge']
    for (const name of names)
      for (const [vcpus, memory] of [
        [1, 2],
        [3, 20],
        [20, 60],
      ] as const) {
        const found = fit('ec2', ['arch'], { vcpus, memory_gib: memory }, priced('aws-ec2', name))
        expect(found?.['instance_type'], name).to.match(/^(?!g|p\d|inf|trn|f\d|vt|dl|mac|hpc|u)(?!.*-flex)(?!.*metal)/)
      }
  })

  it('cuts a machine to a standard size within its family', () => {
    const large = priced('aws-ec2', 'm5.24xlarge')
    const found = fit('ec2', ['arch', 'family'], { vcpus: 32, vcpus_max: 32 }, large)
    expect(found).to.deep.equal({ instance_type: 'm5.8xlarge', vcpus: 32, memory_gib: 128 })
  })

  it('is not known for a size that is not, or that has no price', () => {
    expect(fit('ec2', machine, need, priced('aws-ec2', 'm99.large'))).to.equal(undefined)
    expect(fit('gce', machine, { vcpus: 1, memory_gib: 1 }, priced('gcp-vm', 'c3-standard-8'))).to.equal(undefined)
  })

  it('is sold in the region of the machine', () => {
    const find = (region: string) =>
      fit(
        'azure-vm',
        [...machine, 'disk_support'],
        { vcpus: 3, memory_gib: 20 },
        priced('azure-vm', 'Standard_E8s_v5', {}, region),
      )
    expect(find('eastus')).to.deep.include({ instance_type: 'Standard_E4as_v7' })
    expect(find('westeurope')).to.deep.include({ instance_type: 'Standard_E4as_v5' })
  })
})

describe('sizes of services', () => {
  it('are priced by engine, and twice where a second one stands by', () => {
    const rds = (facts: object) => priced('aws-rds', 'db.m5.xlarge', { ...facts })
    expect(price(rds({ 'specs.engine': 'postgres' }), undefined)).to.equal(0.356)
    expect(price(rds({ 'specs.engine': 'mysql', 'specs.multi_az': true }), undefined)).to.equal(0.684)
    expect(price(rds({ 'specs.engine': 'oracle-ee' }), undefined)).to.equal(undefined)
    expect(price(rds({}), undefined)).to.equal(undefined)
  })

  it('are those that the engine offers', () => {
    const aurora = priced('aws-rds', 'db.r5.2xlarge', { 'specs.engine': 'aurora-postgresql' })
    const need = { vcpus: 1.5, memory_gib: 7 }
    expect(fit('rds', [...machine, 'engine'], need, aurora)).to.deep.include({ instance_type: 'db.r6i.large' })
    const postgres = priced('aws-rds', 'db.m5.2xlarge', { 'specs.engine': 'postgres' })
    expect(fit('rds', [...machine, 'engine'], need, postgres)).to.deep.include({ instance_type: 'db.m6i.large' })
  })

  it('have the memory of a cache, not of its machine', () => {
    const cache = priced('aws-elasticache', 'cache.r5.xlarge')
    expect(fact('ref.instance.memory_gib', cache)).to.equal(26.32)
    // 26.32 GiB at 20 % for 70 % are 7.52: m5.large has 6.38, m5.xlarge 12.93 for 0.311, r5.large 13.07 for 0.216.
    const found = fit('elasticache', ['arch'], { memory_gib: (26.32 * 20) / 70, vcpus: 1 }, cache)
    expect(found).to.deep.equal({ instance_type: 'cache.r5.large', vcpus: 2, memory_gib: 13.07 })
  })

  it('are pairs of CPU and memory that Fargate takes: half a vCPU and 1 GiB less save 18.02 in 730 hours', () => {
    const task = priced('aws-ecs-service', '', { 'specs.task_cpu_units': 1024, 'specs.task_memory_mib': 2048 })
    const found = fit('fargate', [], { task_cpu_units: 300, task_memory_mib: 900 }, task)
    expect(found).to.deep.equal({ task_cpu_units: 512, task_memory_mib: 1024 })
    expect((730 * (price(task, undefined)! - price(task, found)!)).toFixed(2)).to.equal('18.02')
    // 4 vCPUs take 30 GiB at most: 40 GiB need 8.
    const wide = fit('fargate', [], { task_cpu_units: 600, task_memory_mib: 40_000 }, task)
    expect(wide).to.deep.equal({ task_cpu_units: 8192, task_memory_mib: 40_960 })
  })

  it('are even numbers of vCPUs of Cloud SQL, with memory within bounds', () => {
    const sql = priced('gcp-cloudsql', 'db-custom-8-30720', { 'specs.edition': 'ENTERPRISE' })
    const name = (vcpus: number, memory: number) =>
      fit('cloudsql', ['edition'], { vcpus, memory_gib: memory }, sql)?.['instance_type']
    expect([name(0.4, 1), name(1.2, 4.1), name(2.2, 10), name(1, 20), name(8, 30)]).to.deep.equal([
      'db-custom-1-3840',
      'db-custom-2-4352',
      'db-custom-4-10240',
      'db-custom-4-20480',
      'db-custom-8-30720',
    ])
    // 2 x 0.0413 + 7.5 x 0.007
    expect(price(priced('gcp-cloudsql', 'db-custom-2-7680'), undefined)).to.be.closeTo(0.1351, 1e-9)
  })

  it('are steps of a tier', () => {
    const sql = priced('azure-sql-database', 'GP_Gen5_8', { 'specs.tier': 'GeneralPurpose', 'specs.capacity': 8 })
    const smaller = fit('azure-sql', ['tier'], { capacity: 2.3 }, sql)
    expect(smaller).to.deep.equal({ capacity: 4 })
    expect(price(sql, smaller)! / price(sql, undefined)!).to.equal(0.5)
    const fsx = priced('aws-fsx', '', { 'specs.fs_type': 'WINDOWS', 'specs.throughput_capacity': 64 })
    expect(fit('fsx', ['fs_type'], { throughput_capacity: 9 }, fsx)).to.deep.equal({ throughput_capacity: 16 })
    expect(fit('azure-sql', ['tier'], { capacity: 2 }, priced('azure-sql-database', 'S3'))).to.equal(undefined)
  })

  it('tell a cache in the words in which it was told', () => {
    const need = { memory_gib: 0.9 }
    const of = (capacity: string | number) =>
      priced('azure-redis', '', { 'specs.tier': 'Standard', 'specs.capacity': capacity })
    const found = [3, '3', 'C3'].map((capacity) => fit('azure-redis', ['tier'], need, of(capacity))?.['capacity'])
    expect(found).to.deep.equal([1, '1', 'C1'])
    expect(price(of(3), { capacity: 1 })! / price(of(3), undefined)!).to.be.closeTo(0.138 / 0.45, 1e-12)
  })

  it('are plans of App Service and flexible servers of one series', () => {
    const plan = priced('azure-app-service-plan', 'P3v3', { 'specs.sku': 'P3v3' })
    expect(fit('azure-appservice', ['tier'], { vcpus: 1.5, memory_gib: 7 }, plan)).to.deep.equal({ sku: 'P1v3' })
    const server = priced('azure-postgres', 'Standard_D8ds_v4')
    expect(fit('azure-flexserver', ['engine'], { vcpus: 2.5, memory_gib: 9 }, server)).to.deep.include({
      instance_type: 'Standard_D4ds_v4',
    })
  })
})
