/** What the resources of a Terraform plan cost a month: for the comment of a pull request, and to stop one that costs too much. */
import { readFileSync, statSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import { planCost } from '#actors/catalog/terraform/cost.ts'
import { readPlan, type TerraformPlan } from '#actors/catalog/terraform/plan.ts'
import { cloudOfRegion } from '#actors/catalog/terraform/region.ts'
import { ReferenceTables } from '#actors/recommendation/reference/tables.ts'
import { requireValue, UsageError, type Command } from '#config/command/line/command.ts'
import { planCostMarkdown } from '#config/tools/plan-cost.ts'
import { formatDecimal, toUnits } from '#engine/value/decimal.ts'

const usage = 'tidemark plan-cost PLAN.json [--format markdown|json] [--fail-above USD] [--region REGION]'
const formats = ['markdown', 'json']
const bytesMax = 256 * 1024 * 1024
/** Places of amounts. */
const places = 14

export const planCostCommand: Command = {
  name: 'plan-cost',
  summary: 'Estimate the monthly cost of a Terraform plan, before and after',
  usage,
  positionals: 1,
  options: {
    format: { type: 'string' },
    'fail-above': { type: 'string' },
    region: { type: 'string', multiple: true },
  },
  about: {
    'PLAN.json': 'Output of "terraform show -json"; - reads from stdin',
    '--format FORMAT': `One of ${formats.join(', ')}; default markdown`,
    '--fail-above USD': 'Exit code 1 if the monthly cost rises by more than this amount in US dollars',
    '--region REGION': 'Default region for resources without one; once per cloud',
  },
  run: async ({ positionals, values, isJson }) => {
    const name = requireValue({ usage }, positionals[0], 'PLAN.json')
    const format = values['format'] ?? 'markdown'
    if (typeof format !== 'string' || !formats.includes(format))
      throw new UsageError(`--format must be one of ${formats.join(', ')}`)
    const limit = limitOf(values['fail-above'])
    const regions = regionsOf(Array.isArray(values['region']) ? values['region'] : [])
    const plan = planOf(name, await bytesOf(name), regions)
    const cost = planCost(plan, new ReferenceTables().at({ now: new Date(), families: [] }))
    const isAbove = limit !== undefined && toUnits(cost.difference, places)! > toUnits(limit, places)!
    const data = { ...cost, ...(limit !== undefined && { failAbove: limit, isAbove }) }
    if (isAbove && !isJson)
      process.stderr.write(
        `tidemark plan-cost: the monthly increase of ${formatDecimal(cost.difference, 2)} USD exceeds the limit of ${limit}.\n`,
      )
    const text = format === 'json' ? JSON.stringify(data) : planCostMarkdown(data)
    return { data, text, code: isAbove ? 1 : 0 }
  },
}

/** @throws UsageError where it is no amount */
function limitOf(value: unknown): string | undefined {
  if (value === undefined) return undefined
  if (typeof value !== 'string' || !/^\d{1,12}(?:\.\d{1,14})?$/.test(value))
    throw new UsageError('--fail-above must be an amount in US dollars, such as 100 or 99.50')
  return value
}

/** @throws UsageError for what is no region, and for two of one cloud */
function regionsOf(given: readonly unknown[]): string[] {
  const of = new Map<string, string>()
  for (const region of given.map(String)) {
    const cloud = cloudOfRegion(region)
    if (cloud === undefined)
      throw new UsageError(`--region must be a region such as us-east-1, us-central1 or eastus, got '${region}'`)
    const other = of.get(cloud)
    if (other !== undefined)
      throw new UsageError(`--region can be given once per cloud: ${other} and ${region} are both ${cloud}`)
    of.set(cloud, region)
  }
  return [...of.values()]
}

/** What a system says of files, for people. */
const fileFaults: Readonly<Record<string, string>> = {
  ENOENT: 'file not found',
  EISDIR: 'is a folder',
  EACCES: 'permission denied',
}

async function bytesOf(name: string): Promise<Buffer> {
  if (name === '-') return buffer(process.stdin)
  try {
    if (statSync(name).size > bytesMax) throw new Error(`is larger than ${bytesMax / 1024 / 1024} MB`)
    return readFileSync(name)
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    throw new Error(`${name}: ${fileFaults[code] ?? message}`, { cause: error })
  }
}

function planOf(name: string, bytes: Buffer, regions: readonly string[]): TerraformPlan {
  const said = name === '-' ? 'stdin' : name
  try {
    return readPlan(bytes, regions)
  } catch (error) {
    throw new Error(`${said} ${(error as Error).message}`, { cause: error })
  }
}
