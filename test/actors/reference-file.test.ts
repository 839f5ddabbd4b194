import { expect } from 'chai'
import { readPrices } from '#actors/recommendation/reference/book/price-file.ts'
import { ReferenceTables } from '#actors/recommendation/reference/tables.ts'
import { priced } from '#test/harness/reference.ts'

const header = 'kind,region,name,field,value'
const read = (...lines: string[]) => readPrices([header, ...lines].join('\n'))
const problem = (line: string) =>
  read(line)
    .problems.map(({ message }) => message)
    .join()

const tablesOf = (...lines: string[]) => {
  const { values, problems } = read(...lines)
  expect(problems).to.deep.equal([])
  return new ReferenceTables(values).at({ now: new Date('2026-11-23'), families: [] })
}

describe('an operator’s file of prices', () => {
  it('takes values of each kind, comments and empty lines', () => {
    const { values, problems } = read(
      '# negotiated in May',
      '',
      'ec2,eu-west-1,m5.large,usd_hour,0.09',
      'lifecycle,,rds-postgres/18,end_of_support,2031-02-28',
      'commitment,,aws-rds-reserved,1yr_no_upfront,0.66',
    )
    expect(problems).to.deep.equal([])
    expect(values).to.deep.equal([
      { kind: 'ec2', region: 'eu-west-1', name: 'm5.large', field: 'usd_hour', value: '0.09' },
      { kind: 'lifecycle', region: '', name: 'rds-postgres/18', field: 'end_of_support', value: '2031-02-28' },
      { kind: 'commitment', region: '', name: 'aws-rds-reserved', field: '1yr_no_upfront', value: '0.66' },
    ])
  })

  it('names the line of all that is wrong', () => {
    const { problems } = read(
      'ec2,,m5.large,usd_hour,0.09',
      '# a comment',
      'ec2,,m5.large,usd_hour,0',
      'ec2,,m5.xlarge,usd_hour,0',
      'boat,,a,b,1',
    )
    expect(problems.map(({ line }) => line)).to.deep.equal([4, 5, 6])
    expect(problems[0]!.message).to.equal('repeats line 2')
    expect(problems[1]!.message).to.equal('value must be a number of US dollars above 0')
    expect(problems[2]!.message).to.match(/^kind must be one of ec2, gce/)
  })

  it('refuses names, fields, regions and values that are none', () => {
    expect(problem('ec2,,large,usd_hour,1')).to.equal('name must be an instance type such as m5.large')
    expect(problem('ec2,,m5.large,constructor,1')).to.match(/^field must be one of usd_hour/)
    expect(problem('constructor,,m5.large,usd_hour,1')).to.match(/^kind must be one of/)
    expect(problem('ec2,eu-west-1,m5.large,vcpus,2')).to.match(/region must be empty$/)
    expect(problem('ec2,eu west,m5.large,usd_hour,2')).to.match(/^region must contain/)
    for (const value of ['', '-1', 'NaN', 'Infinity', '1e999', '0x10', '1,5'])
      expect(problem(`ec2,,m5.large,usd_hour,"${value}"`), value).to.equal(
        'value must be a number of US dollars above 0',
      )
    expect(problem('ec2,,m5.large,arch,mips')).to.equal('value must be x86_64 or arm64')
    expect(problem('lifecycle,,rds-postgres/18,end_of_support,2031-02-30')).to.equal('value must be a date, YYYY-MM-DD')
    expect(problem('lifecycle,,windows/11,end_of_support,2031-02-28')).to.match(/^name must be a series/)
    expect(problem('commitment,,aws-rds-reserved,1yr_no_upfront,34')).to.match(/at most 1$/)
    expect(problem('price,,aws.moon,usd,1')).to.match(/^name must be one of aws.aurora.io_request/)
  })

  it('refuses what is no such table', () => {
    expect(readPrices('').problems).to.deep.equal([{ line: 1, message: 'the file has no rows' }])
    expect(readPrices('kind,name\nec2,m5.large').problems[0]!.message).to.match(
      /^the file has no column region, field, value/,
    )
    expect(readPrices(`${header}\nec2,,m5.large`).problems[0]!.message).to.match(/^is not valid CSV/)
  })
})

describe('prices of an operator', () => {
  const price = (references: ReturnType<typeof tablesOf>, region: string, name = 'm5.large') =>
    references.price(priced('aws-ec2', name, {}, region), undefined)

  it('take the place of the product’s in their region, or in all', () => {
    const own = tablesOf('ec2,us-east-1,m5.large,usd_hour,0.05', 'ec2,,c5.large,usd_hour,0.04')
    expect([price(own, 'us-east-1'), price(own, 'us-east-2')]).to.deep.equal([0.05, 0.096])
    expect(price(own, 'us-east-1', 'c5.large')).to.equal(0.04)
    expect(price(own, 'eu-west-1', 'c5.large')).to.equal(0.04)
  })

  it('make sizes known that the product does not know, and choose them', () => {
    const own = tablesOf(
      'ec2,,m10i.xlarge,vcpus,4',
      'ec2,,m10i.xlarge,memory_gib,16',
      'ec2,,m10i.xlarge,usd_hour,0.15',
      'rds,,db.m7i.xlarge,usd_hour,0.3',
    )
    const m5 = priced('aws-ec2', 'm5.2xlarge')
    const found = own.fit('ec2', ['arch', 'burst', 'generation'], { vcpus: 3.143, memory_gib: 13.2 }, m5)
    expect(found).to.deep.equal({ instance_type: 'm10i.xlarge', vcpus: 4, memory_gib: 16 })
    const rds = priced('aws-rds', 'db.m5.2xlarge', { 'specs.engine': 'postgres' })
    const database = own.fit('rds', ['arch', 'burst', 'generation'], { vcpus: 3.143, memory_gib: 13.2 }, rds)
    expect(database).to.deep.equal({ instance_type: 'db.m7i.xlarge', vcpus: 4, memory_gib: 16 })
  })

  it('set dates, unit prices and discounts', () => {
    const own = tablesOf(
      'lifecycle,,rds-postgres/18,end_of_support,2031-02-28',
      'lifecycle,,rds-postgres/15,end_of_support,2026-11-24',
      'price,mx-central-1,aws.s3.standard.gb_month,usd,0.03',
      'commitment,,aws-rds-reserved,1yr_no_upfront,0.66',
      'storage,,aws-ebs-volume/gp3,usd_gb_month,0.07',
    )
    const rds = (version: string) =>
      priced('aws-rds', '', { 'specs.engine': 'postgres', 'specs.engine_version': version })
    expect(own.fact('ref.lifecycle.days_to_end_of_support', rds('15.4'))).to.equal(1)
    expect(own.fact('ref.lifecycle.successor', rds('17.2'))).to.equal('18')
    const bucket = priced('aws-s3-bucket', '', {}, 'mx-central-1')
    expect(own.fact('ref.price.aws.s3.standard.gb_month', bucket)).to.equal(0.03)
    expect(own.tierRates('aws-rds-reserved', bucket)).to.deep.equal({ '1yr_no_upfront': 0.66 })
    const gp2 = priced('aws-ebs-volume', '', { 'specs.volume_type': 'gp2', 'res.size_gb': 10 })
    expect(own.price(gp2, { volume_type: 'gp3', iops: 3000 })).to.equal(0.07)
  })

  it('are told apart by version: the same values have the same, in any order', () => {
    const [a, b] = ['ec2,,m5.large,usd_hour,0.09', 'ec2,,m5.xlarge,usd_hour,0.18']
    expect(tablesOf(a!, b!).version).to.equal(tablesOf(b!, a!).version)
    expect(tablesOf(a!).version).to.not.equal(tablesOf(a!, b!).version)
    expect(new ReferenceTables().version).to.match(/^[0-9a-f]{8}$/)
  })
})
