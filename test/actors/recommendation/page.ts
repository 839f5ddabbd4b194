/** Prints docs/rules.md from the rules: `node test/actors/recommendation/page.ts > docs/rules.md`. */
import { allRules } from '#actors/recommendation/rule/catalogue.ts'
import type { Rule } from '#actors/recommendation/rule/contract.ts'
import { reaches, reachOf, type RuleReach } from '#actors/recommendation/rule/reach.ts'
import { typeOf } from '#streams/cloud/resource/resource-type.ts'

const rules = allRules()

const clouds = { aws: 'AWS', gcp: 'Google Cloud', azure: 'Azure', any: 'All clouds' }

const head = `# Recommendation rules

The catalogue has ${rules.length} rules. Each rule evaluates the known facts about a resource and finds potential savings, risks or policy violations. Rules are data: [one file per service](../actors/recommendation/rules/README.md), in the order of this page,
which is generated from them. [Corrections to the original catalogue](../actors/recommendation/rules/CHANGES.md) are listed separately.

## How a rule is evaluated

1. Each evaluation has one of three outcomes. *Fires*: there is a finding. *Clear*: there is no finding, and an open one is closed. *Hold*: the outcome is unknown, so nothing is found and nothing is closed.
2. A fact is a value, known to be empty, unknown, or absent because the type does not have it. A comparison with an unknown fact is unknown; \`all\`, \`any\` and \`not\` use three-valued logic. So missing data never makes a rule fire and never closes a finding.
3. A rule holds while the resource is younger than the rule requires, and while its status is unknown or changing (\`pending\`, \`starting\`, \`stopping\`). If the change is more disruptive than an online change, it also holds until it is known whether a controller manages the resource.
4. **Terminal changes** (a delete; an effect of \`outage\`, \`data_loss\` or \`irreversible\`) fire only if *every* fact that the condition reads is known, in every branch of it. If another branch makes an \`any\` true, an unknown fact that could speak against the change still counts as unknown. The defaults of step 6 count as known, except for deletes.
5. If the target cannot be computed, the rule holds. If the target is no better than the current setting, or more expensive, the rule clears. If a requirement is unknown (memory without an agent), the current value is kept. No machine gets fewer vCPUs than its highest peak in the window used.
6. Producers often omit attributes that only exclude special cases (a Spot instance, a replica). For accounts without a connector, these attributes get the usual value if \`attributes.csv\` defines one, but never for a delete. The evidence lists them as \`assumed\`.
7. The severity of a cost finding depends on its share of the organization's spend, adjusted by confidence (G-65). The severity of a risk is set by the rule, and its saving is 0; if an amount is known, the evidence has it as \`possibleSavingUsd\`.

## How to read the tables

*Reads* lists metrics with their aggregate and window, components and parts of the bill, attributes, relations and references. *Figures* are the parameters of the rule; a policy in the domain \`recommendation\` can override them. *Effect* is the impact of applying the change: none, online, restart, outage, data_loss, irreversible. Every change except a start waits for approval.
`

const reachHead = `## Reach

Whether a rule can fire on a connected account, computed from what the connectors find: the types they discover, the attributes that their mappings fill and the metrics they fetch. *Simulated*: only in the simulated cloud. *Fed*: only with data that producers send.
`

function reachTable(): string {
  const count = (cloud: string, reach: RuleReach) =>
    rules.filter((rule) => rule.provider === cloud && reachOf(rule).reach === reach).length
  const lines = Object.entries(clouds).map(([cloud, title]) => {
    const [real, simulated, fed] = reaches.map((reach) => count(cloud, reach)) as [number, number, number]
    const share = Math.floor((1000 * real) / (real + simulated + fed)) / 10
    return `| ${title} | ${real} (${share}%) | ${simulated} | ${fed} |`
  })
  return ['| cloud | real | simulated | fed |', '|---|---|---|---|', ...lines, ''].join('\n')
}

function unreached(): string {
  const row = (rule: Rule) => {
    const { reach, missing } = reachOf(rule)
    return `| \`${rule.id}\` | ${[rule.name, reach, missing.join('; ')].map(cell).join(' | ')} |`
  }
  return Object.entries(clouds)
    .map(
      ([cloud, title]) =>
        [title, rules.filter((rule) => rule.provider === cloud && reachOf(rule).reach !== 'real')] as const,
    )
    .filter(([, some]) => some.length > 0)
    .map(([title, some]) =>
      [
        `### ${title}: what does not reach connected accounts`,
        '',
        '| rule | name | reach | what is not found |',
        '|---|---|---|---|',
        ...some.map(row),
        '',
      ].join('\n'),
    )
    .join('\n')
}

const cell = (text: string): string =>
  text
    .replaceAll('|', String.raw`\|`)
    .replaceAll('_', String.raw`\_`)
    .replaceAll('*', String.raw`\*`)

function reads({ needs }: Rule): string {
  const shown = {
    metric: needs.metrics.filter((path) => !path.includes('.p95.')),
    bill: needs.bill.filter((path) => path !== 'cost_30d'),
  }
  const more = {
    specs: needs.specs,
    rel: needs.rel,
    hist: needs.hist,
    ref: needs.ref,
    gov: needs.gov,
    scale: needs.scale,
  }
  return Object.entries({ ...shown, ...more })
    .filter(([, names]) => names.length > 0)
    .map(([space, names]) => `${space}: ${names.join(', ')}`)
    .join('; ')
}

const figures = ({ params }: Rule): string =>
  Object.entries(params)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')

function severity({ severity: of }: Rule): string {
  return of.mode === 'cost' ? 'by saving' : `${of.level} (${of.finding})`
}

const saving = ({ saving: { kind, assumed } }: Rule): string => `${kind}${assumed === true ? ' (assumed)' : ''}`

const row = (rule: Rule): string =>
  `| ${[rule.id, rule.name, rule.applies.types.join(', '), reads(rule), figures(rule), saving(rule), severity(rule), rule.action.effect].map(cell).join(' | ')} |`

function serviceOf({ provider, applies: { types } }: Rule): string {
  if (provider === 'any') return 'Autoscaling'
  return types[0]!.endsWith('-*') ? 'Every type' : typeOf(types[0]!)!.service
}

function table(title: string, of: readonly Rule[]): string {
  const columns = ['id', 'rule', 'types', 'reads', 'figures', 'saving', 'severity', 'effect']
  return [
    `### ${title}`,
    '',
    `| ${columns.join(' | ')} |`,
    `|${'---|'.repeat(columns.length)}`,
    ...of.map(row),
    '',
  ].join('\n')
}

/** The whole page. */
export function page(): string {
  const sections = Object.entries(clouds).map(([cloud, title]) => {
    const own = rules.filter(({ provider }) => provider === cloud)
    const services = [...Map.groupBy(own, serviceOf)].toSorted(([a], [b]) => (a < b ? -1 : 1))
    return [`## ${title}: ${own.length} rules`, '', ...services.map(([service, some]) => table(service, some))].join(
      '\n',
    )
  })
  return [head, reachHead, reachTable(), unreached(), ...sections].join('\n')
}

if (import.meta.main) process.stdout.write(page())
