import { expect } from 'chai'
import { fact, lookup, price, priced, tierRates } from '#test/harness/reference.ts'

describe('what is known of a size', () => {
  const of = (type: string, name: string) =>
    ['vcpus', 'memory_gib', 'gpu_count', 'burstable', 'current_generation', 'successor', 'arm_type'].map((what) =>
      fact(`ref.instance.${what}`, priced(type, name)),
    )

  it('is read from tables and names: m5 is of a current generation, m4 is not', () => {
    expect(of('aws-ec2', 'm5.xlarge')).to.deep.equal([4, 16, 0, false, true, 'm6i.xlarge', 'm8g.xlarge'])
    expect(of('aws-ec2', 'm4.xlarge').slice(0, 6)).to.deep.equal([4, 16, 0, false, false, 'm6i.xlarge'])
    expect(of('aws-ec2', 't2.medium')).to.deep.equal([2, 4, 0, true, false, 't3.medium', 't4g.medium'])
    expect(of('azure-vm', 'Standard_DS3_v2').slice(0, 6)).to.deep.equal([4, 14, 0, false, false, 'Standard_D4ds_v6'])
    expect(of('gcp-vm', 'n1-standard-4').slice(0, 6)).to.deep.equal([4, 15, 0, false, false, 'e2-standard-4'])
  })

  it('is found under names in small letters, as some answers of Azure have them', () => {
    expect(of('azure-vm', 'standard_d4s_v5').slice(0, 2)).to.deep.equal([4, 16])
  })

  it('is known to be nothing where there is no follower', () => {
    expect(of('aws-ec2', 'm1.large').slice(4)).to.deep.equal([false, null, null])
    expect(lookup('ec2', 'm1.large', 'successor', priced('aws-ec2', 'm1.large'))).to.equal(undefined)
  })

  it('is not known of what is not in the tables, and of accelerators that are not counted', () => {
    expect(of('aws-ec2', 'm99.large')).to.deep.equal(Array(7).fill(undefined))
    expect(fact('ref.instance.gpu_count', priced('aws-ec2', 'inf1.xlarge'))).to.equal(undefined)
    expect(fact('ref.instance.gpu_count', priced('aws-ec2', 'g5.12xlarge'))).to.equal(4)
  })

  it('counts accelerators that are attached to a machine, which then follows nothing', () => {
    const n1 = priced('gcp-vm', 'n1-standard-4', { 'specs.gpu_count': 2 })
    expect([fact('ref.instance.gpu_count', n1), fact('ref.instance.successor', n1)]).to.deep.equal([2, null])
  })

  it('is looked up by name: followers, and the next smaller of an order', () => {
    const ec2 = priced('aws-ec2', 'm4.xlarge')
    expect(lookup('ec2', 'm4.xlarge', 'successor', ec2)).to.equal('m6i.xlarge')
    const rds = priced('aws-rds', 'db.m5.large', { 'specs.engine': 'mysql' })
    // m6g.large 0.152, m7g.large 0.168: the newest that costs no more than 0.171.
    expect(lookup('rds', 'db.m5.large', 'arm_type', rds)).to.equal('db.m7g.large')
    expect(lookup('databricks-warehouse', 'Small', 'smaller', ec2)).to.equal('X-Small')
    expect(lookup('fabric', 'F2', 'smaller', ec2)).to.equal(undefined)
  })
})

describe('support of a version', () => {
  const of = (type: string, facts: Record<string, string>) =>
    ['days_to_end_of_support', 'successor'].map((what) => fact(`ref.lifecycle.${what}`, priced(type, '', facts)))

  it('ends on its day, and the next version that is supported for half a year follows', () => {
    // 2025-02-28 to 2026-11-23 are 633 days; 13 has ended, 14 ends in 97 days.
    expect(of('aws-rds', { 'specs.engine': 'postgres', 'specs.engine_version': '12.14' })).to.deep.equal([-633, '15'])
    expect(of('aws-rds', { 'specs.engine': 'mysql', 'specs.engine_version': '8.4.3' })).to.deep.equal([981, null])
    expect(of('gcp-cloudsql', { 'specs.database_version': 'MYSQL_5_7' })).to.deep.equal([-660, 'MYSQL_8_4'])
    expect(of('gcp-cloudsql', { 'specs.database_version': 'MYSQL_8_4' })).to.deep.equal([null, null])
    expect(of('gcp-gke', { 'specs.version': '1.30.5-gke.1014001' })).to.deep.equal([-419, '1.35'])
  })

  it('is told in the words in which the version was', () => {
    expect(of('azure-web-app', { 'specs.stack': 'NODE|18-lts' })).to.deep.equal([-572, 'NODE|24-lts'])
    expect(of('azure-web-app', { 'specs.stack': 'DOTNETCORE|6.0' })).to.deep.equal([-741, 'DOTNETCORE|10.0'])
    expect(of('aws-lambda', { 'specs.runtime': 'python3.8' })).to.deep.equal([-770, 'python3.11'])
  })

  it('does not take one version for another that begins like it', () => {
    expect(of('aws-eks', { 'specs.version': '1.2' })).to.deep.equal([undefined, undefined])
    expect(of('aws-rds', { 'specs.engine': 'postgres', 'specs.engine_version': '1' })).to.deep.equal([
      undefined,
      undefined,
    ])
  })

  it('is not known of engines and versions that are not in the tables', () => {
    expect(of('aws-rds', { 'specs.engine': 'oracle-ee', 'specs.engine_version': '19' })).to.deep.equal([
      undefined,
      undefined,
    ])
    expect(of('aws-lambda', { 'specs.runtime': 'cobol' })).to.deep.equal([undefined, undefined])
    expect(of('aws-eks', {})).to.deep.equal([undefined, undefined])
  })
})

describe('what a gigabyte-month costs', () => {
  const volume = (facts: object) => priced('aws-ebs-volume', '', { ...facts })

  it('saves a fifth from gp2 to gp3', () => {
    const gp2 = volume({ 'specs.volume_type': 'gp2', 'specs.iops': 1500, 'res.size_gb': 500 })
    expect(price(gp2, undefined)).to.equal(0.1)
    expect(price(gp2, { volume_type: 'gp3', iops: 3000 })).to.equal(0.08)
  })

  it('holds what is provisioned, above what is included', () => {
    const io1 = volume({ 'specs.volume_type': 'io1', 'specs.iops': 4000, 'res.size_gb': 200 })
    // 0.125 + 4000 x 0.065 / 200; 0.08 + 600 x 0.005 / 200 + 125 x 0.04 / 200
    expect(price(io1, undefined)).to.be.closeTo(1.425, 1e-12)
    expect(price(io1, { volume_type: 'gp3', iops: 3600, throughput_mibps: 250 })).to.be.closeTo(0.12, 1e-12)
  })

  it('is not known where what is provisioned is not', () => {
    expect(price(volume({ 'specs.volume_type': 'io1', 'res.size_gb': 200 }), undefined)).to.equal(undefined)
    expect(price(volume({ 'specs.volume_type': 'io2', 'specs.iops': 10, 'res.size_gb': 200 }), undefined)).to.equal(
      undefined,
    )
    expect(price(volume({}), undefined)).to.equal(undefined)
  })

  it('goes by the tier that a disk of Azure fills', () => {
    const disk = priced('azure-disk', '', { 'specs.sku': 'Premium_LRS', 'res.size_gb': 100 })
    // Tiers P10 and E10 of 128 GB: 19.71 and 9.60 a month.
    expect([price(disk, undefined), price(disk, { sku: 'StandardSSD_LRS' })]).to.deep.equal([0.1971, 0.096])
    const zones = priced('azure-disk', '', { 'specs.sku': 'Premium_ZRS', 'res.size_gb': 128 })
    expect(price(zones, undefined)).to.be.closeTo((19.71 * 1.5) / 128, 1e-12)
  })

  it('is that of the storage of a database where it is asked for by the gigabyte', () => {
    const facts = { 'specs.engine': 'mysql', 'specs.storage_type': 'gp2', 'res.size_gb': 100 }
    const rds = priced('aws-rds', 'db.m5.large', facts)
    expect(price(rds, undefined, 'gb_month')).to.equal(0.115)
    expect(price(rds, { storage_type: 'gp3' }, 'gb_month')).to.equal(0.115)
    expect(price(rds, undefined, 'hour')).to.equal(0.171)
  })
})

describe('prices of units and of commitments', () => {
  it('are those of the region, and not known where they differ and are not in the tables', () => {
    const at = (key: string, region: string) => fact(`ref.price.${key}`, priced('aws-s3-bucket', '', {}, region))
    expect(at('aws.s3.standard.gb_month', 'eu-central-1')).to.equal(0.0245)
    expect(at('aws.s3.standard.gb_month', 'mx-central-1')).to.equal(undefined)
    expect(at('aws.ipv4.public_hour', 'mx-central-1')).to.equal(0.005)
  })

  it('are shares of the on-demand price that remain, none of products without published ones', () => {
    const account = priced('gcp-project', '')
    expect(tierRates('gcp-resource-cud', account)).to.deep.equal({ '1yr_no_upfront': 0.63, '3yr_no_upfront': 0.45 })
    expect(tierRates('azure-cosmos-reservation', account)).to.equal(undefined)
  })

  it('hold what other software costs, and are not known where that is not', () => {
    const vm = (platform: string) => priced('aws-ec2', 'm5.large', { 'specs.platform_details': platform })
    // 0.096 + 2 x 0.046
    expect(price(vm('Windows'), undefined)).to.be.closeTo(0.188, 1e-12)
    expect(price(vm('Windows with SQL Server Standard'), undefined)).to.equal(undefined)
  })
})
