/** What the resources of a Terraform plan cost a month: for the comment of a pull request, and to stop one that costs too much. */
import { readFileSync, statSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import { planCost } from '#actors/catalog/terraform/cost.ts'
import { readPlan, type TerraformPlan } from '#actors/catalog/terraform/plan.ts'
import { cloudOfRegion } from '#actors/catalog/terraform/region.ts'
import { ReferenceTables } from '#actors/recommendation/reference/tables.ts'
import { command } from '#config/command/line/build.ts'
import { UsageError } from '#config/command/line/command.ts'
import { argument, choiceOr, optional, readAs, textList, toggle } from '#config/command/line/flag.ts'
import { planCostMarkdown, unknownSentence } from '#config/tools/plan-cost.ts'
import { formatDecimal, toUnits } from '#engine/value/decimal.ts'

const bytesMax = 256 * 1024 * 1024
/** Places of amounts. */
const places = 14

export const planCostCommand = command({
  name: 'plan-cost',
  summary: 'Estimate the monthly cost of a Terraform plan, before and after',
  usage: 'PLAN.json [--format markdown|json] [--fail-above USD] [--fail-on-unknown] [--region REGION]',
  takes: {
    file: argument('PLAN.json', 'Output of "terraform show -json"; - reads from stdin'),
    format: choiceOr('FORMAT', ['markdown', 'json'], 'markdown', 'One of markdown, json; default markdown'),
    'fail-above': readAs(
      optional('USD', 'Exit code 1 if the monthly cost rises by more than this amount in US dollars'),
      checkAmount,
    ),
    'fail-on-unknown': toggle('Exit code 1 if the plan creates or resizes something that cannot be priced'),
    region: readAs(textList('REGION', 'Default region for resources without one; once per cloud'), checkRegions),
  },
  run: async ({ file, format, 'fail-above': limit, 'fail-on-unknown': failOnUnknown, region: regions }, { isJson }) => {
    const plan = planOf(file, await bytesOf(file), regions)
    const cost = planCost(plan, new ReferenceTables().at({ now: new Date(), families: [] }))
    const isAbove = limit !== undefined && toUnits(cost.difference, places)! > toUnits(limit, places)!
    const data = {
      ...cost,
      ...(limit !== undefined && { failAbove: limit, isAbove }),
      ...(failOnUnknown && { failOnUnknown }),
    }
    const isRefused = failOnUnknown && cost.unknown.length > 0
    if (isRefused && !isJson) process.stderr.write(`tidemark plan-cost: ${unknownSentence(cost.unknown)}\n`)
    if (isAbove && !isJson)
      process.stderr.write(
        `tidemark plan-cost: the monthly increase of ${formatDecimal(cost.difference, 2)} USD exceeds the limit of ${limit}.\n`,
      )
    const text = format === 'json' ? JSON.stringify(data) : planCostMarkdown(data)
    return { data, text, code: isAbove || isRefused ? 1 : 0 }
  },
})

/** @throws UsageError where it is no amount */
function checkAmount(value: string | undefined, name: string): string | undefined {
  if (value === undefined || /^\d{1,12}(?:\.\d{1,14})?$/.test(value)) return value
  throw new UsageError(`${name} must be an amount in US dollars, such as 100 or 99.50`)
}

/** @throws UsageError for what is no region, and for two of one cloud */
function checkRegions(given: readonly string[], name: string): string[] {
  const of = new Map<string, string>()
  for (const region of given) {
    const cloud = cloudOfRegion(region)
    if (cloud === undefined)
      throw new UsageError(`${name} must be a region such as us-east-1, us-central1 or eastus, got '${region}'`)
    const other = of.get(cloud)
    if (other !== undefined)
      throw new UsageError(`${name} can be given once per cloud: ${other} and ${region} are both ${cloud}`)
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
