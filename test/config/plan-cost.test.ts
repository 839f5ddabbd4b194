import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import { code, planCostMarker } from '#config/tools/plan-cost.ts'
import { inProcess } from '#test/harness/command-line.ts'
import { amount, deepIt } from '#test/harness/tier.ts'

const plans = path.join(import.meta.dirname, 'plan-cost')
const fileOf = (name: string): string => path.join(plans, `${name}.json`)
const main = path.resolve(import.meta.dirname, '..', '..', 'config', 'main.ts')
/** No store, and none could be made. */
const env = { ...process.env, TIDEMARK_DATA_DIR: '/nonexistent/of/tests' }

const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-plan-cost-'))
after(() => rmSync(folder, { recursive: true }))
let files = 0
function fileWith(content: unknown): string {
  const file = path.join(folder, `${files++}.json`)
  writeFileSync(file, typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content))
  return file
}

const asked = (...args: string[]) => inProcess(env, 'plan-cost', ...args)
async function costOf(file: string, ...args: string[]) {
  const { code: status, stdout, stderr } = await asked(file, '--format', 'json', ...args)
  expect([status, stderr]).to.deep.equal([0, ''])
  return JSON.parse(stdout) as any
}
const amountsOf = ({ before, after: then, difference }: any) => [before, then, difference]
const rowsOf = (cost: any) =>
  Object.fromEntries(cost.resources.map((row: any) => [row.address, [row.action, row.region, ...amountsOf(row)]]))
const lackingOf = (cost: any): string[] =>
  cost.notPriced.map(({ address, part = '', reason }: any) => `${address} ${part} ${reason}`.replace('  ', ' '))

const plan = (resource_changes: unknown[], more: object = {}) => ({
  format_version: '1.2',
  planned_values: { root_module: {} },
  resource_changes,
  ...more,
})
const change = (address: string, actions: string[], before: unknown, then: unknown, more: object = {}) => {
  const [type, name] = address.replace(/\[.*/s, '').split('.').slice(-2)
  const rest = { after_unknown: {}, before_sensitive: {}, after_sensitive: {}, ...more }
  return { address, mode: 'managed', type, name, change: { actions, before, after: then, ...rest } }
}
const volume = (size: number) => ({ availability_zone: 'us-east-1a', type: 'gp2', size })

describe('what a plan of AWS costs', () => {
  let aws: any
  before(async () => void (aws = await costOf(fileOf('aws'))))

  it('is each resource before and after, to the last digit, in modules, under keys and outside of the plan', () => {
    // ec2.csv: t3.small 0.0208, m5.large 0.096; region.csv: eu-west-1 1.118. node.csv: rds postgres m5.large 0.178,
    // elasticache m5.large 0.156, r6g.large 0.206. storage.csv: gp2 0.1, gp3 0.08 with 0.005 for an operation above 3,000 and
    // 0.04 for a MiB above 125; rds gp3 0.115. unit-price.csv: public address 0.005, load balancer 0.0225 (us-east-1).
    expect(rowsOf(aws)).to.deep.equal({
      // 0.0208 x 1.118 x 730 = 16.975712; 0.096 x 1.118 x 730 = 78.34944; each with 8 x 0.08 = 0.64
      'module.web["blue"].aws_instance.this[0]': ['update', 'eu-west-1', '17.615712', '78.98944', '61.373728'],
      'module.web["a|b`c"].aws_instance.this[0]': ['create', 'eu-west-1', '0', '78.34944', '78.34944'],
      // 100 x 0.08 + 1,000 x 0.005 + 125 x 0.04
      'aws_ebs_volume.data["logs"]': ['create', 'us-east-1', '0', '18', '18'],
      'aws_ebs_volume.old[0]': ['delete', 'us-east-1', '5', '0', '-5'],
      // 0.178 x 730 + 100 x 0.115, and both twice
      'aws_db_instance.main': ['update', 'us-east-1', '141.44', '282.88', '141.44'],
      'aws_lb.front': ['no-op', 'us-east-1', '16.425', '16.425', '0'],
      'aws_eip.nat': ['create', 'us-east-1', '0', '3.65', '3.65'],
      'aws_instance.batch': ['create', 'us-east-1', '0', '1.6', '1.6'],
      // 2 x 0.156 x 730, 3 x 0.206 x 730
      'aws_elasticache_replication_group.cache': ['replace', 'us-east-1', '227.76', '451.14', '223.38'],
      'aws_ebs_volume.kept': ['no-op', 'us-east-1', '1', '1', '0'],
    })
    expect(amountsOf(aws)).to.deep.equal(['409.240712', '932.03388', '522.793168'])
    expect([aws.currency, aws.hoursPerMonth]).to.deep.equal(['USD', 730])
  })

  it('names all that it has no price of, with the reason', () => {
    expect(lackingOf(aws)).to.have.members([
      'module.web["a|b`c"].aws_instance.this[0] root disk size_unknown',
      'module.web["a|b`c"].aws_instance.this[0] public IP address size_unknown',
      'aws_db_instance.main backups usage',
      'aws_lb.front capacity units usage',
      'aws_instance.batch machine size_unknown',
      'aws_nat_gateway.out not_priced',
      'aws_s3_bucket.logs usage',
      'aws_iam_role.web free',
      'aws_instance.far region_unknown',
      'kubernetes_namespace.apps not_priced',
    ])
  })

  it('says whose region’s prices were taken where the tables have none of the own', () => {
    const [row] = aws.resources.filter(({ address }: any) => address.includes('blue'))
    expect(row.parts.map(({ name, priceOf }: any) => [name, priceOf])).to.deep.equal([
      ['machine', undefined],
      ['root disk', 'us-east-1'],
    ])
  })

  it('takes the region that it is told for what says none', async () => {
    const cost = await costOf(fileOf('aws'), '--region', 'europe-west1', '--region', 'us-west-2')
    expect(rowsOf(cost)['aws_instance.far']).to.deep.equal(['create', 'us-west-2', '0', '70.08', '70.08'])
  })
})

describe('what a plan of Google Cloud costs', () => {
  it('is each resource before and after, to the last digit', async () => {
    const cost = await costOf(fileOf('google'))
    // gce-price.csv, a vCPU and a GiB: e2 europe-west1 0.023993 0.003216, us-central1 0.021812 0.002924; n2 europe-west1
    // 0.034773 0.004661. storage.csv: pd-standard 0.04, pd-balanced 0.1, pd-ssd 0.17. Cloud SQL: 0.0413 0.007.
    expect(rowsOf(cost)).to.deep.equal({
      // (4 x 0.023993 + 16 x 0.003216) x 730 + 50 x 0.1
      'google_compute_instance.app': ['create', 'europe-west1', '0', '112.62244', '112.62244'],
      // (0.5 x 0.021812 + 2 x 0.002924) x 730 + 10 x 0.04
      'google_compute_instance.old': ['no-op', 'us-central1', '12.63042', '12.63042', '0'],
      'google_compute_disk.data["x"]': ['update', 'us-central1', '17', '34', '17'],
      // (2 x 0.0413 + 7.5 x 0.007) x 730
      'google_sql_database_instance.main': ['create', 'us-central1', '0', '98.623', '98.623'],
      'google_container_cluster.k': ['create', 'europe-west1', '0', '73', '73'],
      // 2 nodes in 3 zones: 6 x (4 x 0.034773 + 16 x 0.004661) x 730 + 6 x 100 x 0.1
      'google_container_node_pool.k': ['create', 'europe-west1', '0', '995.86584', '995.86584'],
      // 10 x 0.17, in two zones
      'google_compute_region_disk.gone': ['delete', 'europe-west1', '3.4', '0', '-3.4'],
    })
    expect(amountsOf(cost)).to.deep.equal(['33.03042', '1326.7417', '1293.71128'])
    expect(lackingOf(cost)).to.have.members([
      'google_compute_instance.app public IP address not_priced',
      'google_sql_database_instance.main storage not_priced',
      'google_sql_database_instance.main backups usage',
      'google_compute_instance.spot machine not_priced',
      'google_compute_instance.spot boot disk size_unknown',
      'google_compute_forwarding_rule.front forwarding rule no_price',
      'google_compute_forwarding_rule.front traffic usage',
      'google_storage_bucket.logs usage',
      'google_project_iam_member.app free',
      'google_redis_instance.cache not_priced',
    ])
  })
})

describe('what a plan of Azure costs', () => {
  it('is each resource before and after, to the last digit; what has a price on one side alone is on neither', async () => {
    const cost = await costOf(fileOf('azure'))
    // azure-vm.csv: D2s_v5 0.096, D4s_v5 0.192, Windows 0.046 more a vCPU; azure-region.csv: D*s_v5 westeurope 1.198.
    // azure-disk.csv: StandardSSD to 128 GB 9.6, Premium to 64, 128, 512 GB 10.21, 19.71, 73.22, Standard to 32 GB 1.54.
    // plan.csv: Standard C1 0.138. unit-price.csv: control plane 0.1, load balancer 0.025.
    expect(rowsOf(cost)).to.deep.equal({
      // 0.096 x 1.198 x 730, 0.192 x 1.198 x 730; the disk was 10.21 and its size is not known then
      'azurerm_linux_virtual_machine.web': ['replace', 'westeurope', '83.95584', '167.91168', '83.95584'],
      // (0.096 + 2 x 0.046) x 730 + 9.6
      'azurerm_windows_virtual_machine.win': ['create', 'eastus', '0', '146.84', '146.84'],
      'azurerm_managed_disk.data': ['update', 'eastus', '19.71', '73.22', '53.51'],
      // 0.1 x 730 + 3 x 0.096 x 730
      'azurerm_kubernetes_cluster.k': ['no-op', 'eastus', '283.24', '283.24', '0'],
      'azurerm_redis_cache.cache': ['delete', 'eastus', '100.74', '0', '-100.74'],
      'azurerm_lb.front': ['create', 'eastus', '0', '18.25', '18.25'],
      // 2 x (0.096 x 730 + 1.54)
      'azurerm_linux_virtual_machine_scale_set.s': ['create', 'eastus', '0', '143.24', '143.24'],
    })
    expect(amountsOf(cost)).to.deep.equal(['487.64584', '832.70168', '345.05584'])
    expect(lackingOf(cost)).to.have.members([
      'azurerm_linux_virtual_machine.web OS disk size_unknown',
      'azurerm_kubernetes_cluster.k node disks size_unknown',
      'azurerm_linux_virtual_machine.later region_unknown',
      'azurerm_lb.front traffic usage',
      'azurerm_public_ip.front not_priced',
      'azurerm_resource_group.main free',
      'azurerm_storage_account.logs usage',
      'azurerm_mssql_database.main not_priced',
    ])
    expect(cost.notPriced.find(({ part }: any) => part === 'OS disk')).to.include({
      before: '10.21',
      action: 'replace',
    })
  })
})

describe('changes of a plan', () => {
  it('that forget a resource leave its costs; one that is deposed goes by itself', async () => {
    const deposed = { ...change('aws_ebs_volume.b', ['delete'], volume(20), null), deposed: '0a1b' }
    const cost = await costOf(
      fileWith(
        plan([
          change('aws_ebs_volume.a', ['forget'], volume(10), null),
          change('aws_ebs_volume.b', ['no-op'], volume(30), volume(30)),
          deposed,
          change('aws_ebs_volume.c', ['create', 'forget'], volume(40), volume(50)),
        ]),
      ),
    )
    expect(rowsOf(cost)).to.deep.equal({
      'aws_ebs_volume.a': ['forget', 'us-east-1', '1', '1', '0'],
      'aws_ebs_volume.b': ['no-op', 'us-east-1', '3', '3', '0'],
      'aws_ebs_volume.b (deposed 0a1b)': ['delete', 'us-east-1', '2', '0', '-2'],
      'aws_ebs_volume.c (forgotten)': ['forget', 'us-east-1', '4', '4', '0'],
      'aws_ebs_volume.c': ['create', 'us-east-1', '0', '5', '5'],
    })
  })

  it('show no size that is marked as sensitive', async () => {
    const marked = { after_sensitive: { size: true } }
    const { stdout } = await asked(fileWith(plan([change('aws_ebs_volume.a', ['create'], null, volume(777), marked)])))
    expect(stdout).to.contain('`aws_ebs_volume.a` | create | disk |').and.not.contain('777')
  })

  it('that are put off, and plans of some resources alone, are told as such', async () => {
    const late = change('aws_ebs_volume.late', ['create'], null, volume(10))
    const file = fileWith(
      plan([change('aws_ebs_volume.a', ['create'], null, volume(10))], {
        complete: false,
        deferred_changes: [{ reason: 'provider_config_unknown', resource_change: late }],
      }),
    )
    expect(lackingOf(await costOf(file))).to.deep.equal(['aws_ebs_volume.late size_unknown'])
    expect((await asked(file)).stdout).to.contain('The plan is incomplete')
  })

  it('with counts and sizes that are none have no price', async () => {
    const pool = (node_count: unknown) => ({
      vm_size: 'Standard_D2s_v5',
      node_count,
      os_disk_type: 'Ephemeral',
      location: 'eastus',
    })
    const pools = [undefined, null, 2.5, -1, 1e300, 'many', [], {}].map((wrong, n) =>
      change(`azurerm_kubernetes_cluster_node_pool.a[${n}]`, ['create'], null, pool(wrong)),
    )
    const volumes = [-1, 1e300, 'big'].map((wrong, n) =>
      change(`aws_ebs_volume.a[${n}]`, ['create'], null, volume(wrong as number)),
    )
    expect(lackingOf(await costOf(fileWith(plan([...pools, ...volumes]))))).to.have.members([
      ...pools.flatMap(({ address }) => [`${address} nodes size_unknown`, `${address} node disks free`]),
      ...volumes.map(({ address }) => `${address} disk size_unknown`),
    ])
  })

  it('of a type that is called as something of JavaScript’s have no price', async () => {
    const file = fileWith(plan([{ ...change('a.b', ['create'], null, { x: 1 }), type: 'constructor' }]))
    expect(lackingOf(await costOf(file))).to.deep.equal(['a.b not_priced'])
  })
})

describe('the limit of what a plan may cost more', () => {
  it('is the exit code, by the exact difference', async () => {
    const within = await asked(fileOf('aws'), '--fail-above', '522.793168')
    expect([within.code, within.stderr]).to.deep.equal([0, ''])
    expect(within.stdout).to.contain('Within the limit of 522.793168 USD more per month.')
    const above = await asked(fileOf('aws'), '--fail-above', '522.793167')
    expect(above.code).to.equal(1)
    expect(above.stderr).to.equal(
      'tidemark plan-cost: the monthly increase of 522.79 USD exceeds the limit of 522.793167.\n',
    )
    expect(above.stdout).to.contain('**Above the limit of 522.793167 USD more per month.**')
  })

  it('fails on request if something that is created cannot be priced, and says in any case that it is left out', async () => {
    const machine = (more: object) =>
      change('aws_instance.a', ['create'], null, { availability_zone: 'us-east-1a' }, more)
    const file = fileWith(plan([machine({ after_unknown: { instance_type: true } })]))
    const said = 'Within the limit of 10 USD more per month. This is without 1 changed resource that cannot be priced.'
    const told = await asked(file, '--fail-above', '10')
    expect([told.code, told.stderr]).to.deep.equal([0, ''])
    expect(told.stdout).to.contain(said)
    const refused = await asked(file, '--fail-on-unknown')
    expect([refused.code, refused.stderr]).to.deep.equal([
      1,
      'tidemark plan-cost: 1 changed resource cannot be priced; --fail-on-unknown allows none.\n',
    ])
    const { isComplete, isWholePlan, unknown } = await costOf(file)
    expect([isComplete, isWholePlan, unknown]).to.deep.equal([false, true, ['aws_instance.a']])
    const priced = fileWith(plan([change('aws_ebs_volume.a', ['create'], null, volume(10))]))
    expect((await asked(priced, '--fail-on-unknown')).code).to.equal(0)
    expect((await costOf(priced)).isComplete).to.equal(true)
  })

  it('is an amount', async () => {
    for (const wrong of ['-1', '1e3', 'all', '', '1,000']) {
      const { code: status, stderr } = await asked(fileOf('aws'), `--fail-above=${wrong}`)
      expect([status, stderr]).to.deep.equal([
        2,
        'tidemark plan-cost: --fail-above must be an amount in US dollars, such as 100 or 99.50\n',
      ])
    }
  })
})

describe('the comment of a plan', () => {
  it('begins with the mark it is found by, and has the totals to the cent', async () => {
    const { stdout } = await asked(fileOf('azure'))
    const lines = stdout.split('\n')
    expect(lines.slice(0, 2)).to.deep.equal([planCostMarker, '### Monthly cost: 487.65 to 832.70 USD (+345.06)'])
    expect(lines).to.include('| **total of priced resources** | | | 487.65 | 832.70 | **+345.06** |')
  })

  const cellsOf = (line: string): string[] => line.split(/(?<!\\)(?:\\\\)*\|/)
  const hostile = [
    'x["a|b"]',
    'x["`"]',
    'x["``` | `"]',
    'x["\n| a | b |\n<!-- "]',
    'x["\\|\\\\|"]',
    'x["\u202e\u0000\u2028\u0085"]',
    '`x`',
    'x["<img src=x> @everyone [a](http://b)"]',
  ]

  it('holds whatever resources are called in its own cell', async () => {
    const changes = hostile.map((key) => ({
      ...change('aws_ebs_volume.a', ['create'], null, volume(10)),
      address: `aws_ebs_volume.a${key}`,
    }))
    const { stdout } = await asked(fileWith(plan(changes)))
    const rows = stdout.split('\n').filter((line) => line.includes('aws_ebs_volume'))
    expect(rows).to.have.length(hostile.length)
    for (const row of rows) expect(cellsOf(row), row).to.have.length(8)
    expect(stdout.match(/<!--/g)).to.have.length(2)
  })

  it('shows any text as one span of code, on one line, without what cannot be seen', () => {
    const texts = fc.oneof(
      // The units of strings that fast-check has take seconds to be made.
      fc.array(fc.integer({ min: 0, max: 0x10_ff_ff })).map((points) => String.fromCodePoint(...points)),
      fc
        .array(fc.constantFrom('|', '`', '\\', 'a', '\n', ' ', '\u202e', '\u2028', '\ud800'))
        .map((some) => some.join('')),
    )
    fc.assert(
      fc.property(texts, (text) => {
        const span = code(text || 'x')
        const [, fence, inner] = /^(`+)([^]*?[^`])\1$/.exec(span)!
        expect(inner).to.not.match(new RegExp(`(?<!\`)${fence}(?!\`)`))
        expect(inner).to.not.match(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
        expect(inner).to.not.match(/(?<!\\)\||\\\\\|/)
      }),
      { numRuns: amount(30, 100, 1000) },
    )
  })

  it('fits a comment, however many resources there are, and says what it leaves out', async () => {
    const changes = Array.from({ length: 1000 }, (_, i) => [
      change(`aws_ebs_volume.a[${i}]`, ['create'], null, volume(10 + i)),
      change(`aws_iam_role.role_with_a_long_name[${i}]`, ['create'], null, { name: 'x' }),
    ]).flat()
    const { stdout } = await asked(fileWith(plan(changes)))
    // As much as there is room for: a row of the longer table is some ninety characters.
    expect(stdout.length).to.be.within(59_500, 60_000)
    expect(stdout)
      .to.match(/\d+ more resources are omitted here/)
      .and.match(/\d+ more lines are omitted here/)
    // 0.1 x (10 + ... + 1009)
    expect(stdout).to.contain('| **total of priced resources** | | | 0.00 | 50950.00 | **+50950.00** |')
  })
})

describe('what is no plan', () => {
  const state = { format_version: '1.0', values: { root_module: {} } }
  const some = plan([change('aws_ebs_volume.a', ['create'], null, volume(1))])
  const wrong: Record<string, [unknown, string]> = {
    'is no JSON': ['{"secret": hunter2', 'is not valid JSON.'],
    'is empty': ['', 'is empty.'],
    'is a list': ['[]', 'is not a Terraform plan.'],
    'is a plan of another format': [
      { ...some, format_version: '2.0' },
      'has plan format "2.0"; only 1.x is supported.',
    ],
    'has no format': [{ resource_changes: [] }, 'is not a Terraform plan: it has no format_version.'],
    'is a state that was shown': [
      state,
      'is a Terraform state, not a plan. Use the output of terraform show -json for a plan.',
    ],
    'is the file of a state': [
      { version: 4, serial: 1, lineage: 'a', resources: [] },
      'is a Terraform state, not a plan. Use the output of terraform show -json for a plan.',
    ],
    'is the log of a plan': [
      '{"@level":"info"}\n{"@level":"info"}\n',
      'is the log of terraform plan -json. Use the output of terraform show -json for the plan.',
    ],
    'is the plan itself': [
      Buffer.from('PK\u0003\u0004'),
      'is a binary plan file. Use the output of terraform show -json for that plan.',
    ],
    'holds nothing': [plan([]), 'is an empty plan: it has no resources.'],
    'reads alone': [
      plan([{ ...change('data.aws_ami.a', ['read'], null, {}), mode: 'data' }]),
      'is an empty plan: it has no resources.',
    ],
    failed: [{ ...some, errored: true }, 'is a plan that ended in errors, so it is incomplete.'],
    'has changes that are none': [plan([{ type: 'x' }]), 'is not a Terraform plan: it does not match the plan format.'],
    'has an action that is none': [
      plan([change('aws_ebs_volume.a', ['explode'], null, volume(1))]),
      'has a change with unknown actions: ["explode"].',
    ],
  }
  for (const [what, [content, message]] of Object.entries(wrong)) {
    it(`is told in one line where it ${what}`, async () => {
      const file = fileWith(content)
      expect(await asked(file)).to.deep.equal({
        code: 1,
        stdout: '',
        stderr: `tidemark plan-cost: ${file} ${message}\n`,
      })
    })
  }

  it('is not read by a region that is none, or by two of one cloud', async () => {
    for (const region of ['mars-1', 'us-east-1a', 'US-EAST-1', '']) {
      const { code, stderr } = await asked(fileOf('aws'), '--region', region)
      expect([code, stderr], region).to.deep.equal([
        2,
        `tidemark plan-cost: --region must be a region such as us-east-1, us-central1 or eastus, got '${region}'\n`,
      ])
    }
    const twice = await asked(fileOf('aws'), '--region', 'eu-west-1', '--region', 'eastus', '--region', 'us-west-2')
    expect([twice.code, twice.stderr]).to.deep.equal([
      2,
      'tidemark plan-cost: --region can be given once per cloud: eu-west-1 and us-west-2 are both aws\n',
    ])
  })

  it('is told where there is no file, and no name of one', async () => {
    expect((await asked('/nonexistent/plan.json')).code).to.equal(1)
    const { code: status, stderr } = await asked()
    expect(status).to.equal(2)
    expect(stderr).to.contain('PLAN.json is missing')
    expect((await asked(fileOf('aws'), '--format', 'xml')).stderr).to.contain('--format must be one of markdown, json')
  })
})

describe('the input of a plan', () => {
  deepIt('may come through stdin, and as PowerShell writes it', async () => {
    const bytes = readFileSync(fileOf('azure'))
    const input = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(bytes.toString(), 'utf16le')])
    const piped = spawnSync(process.execPath, [main, 'plan-cost', '-'], { env, input, encoding: 'utf8' })
    expect([piped.status, piped.stderr]).to.deep.equal([0, ''])
    expect(piped.stdout).to.equal((await asked(fileOf('azure'))).stdout)
    expect(piped.stdout).to.contain('+345.06')
  })
})
