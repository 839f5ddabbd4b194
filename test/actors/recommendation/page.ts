/** Prints docs/rules.md from the rules: `node test/actors/recommendation/page.ts > docs/rules.md`. */
import { allRules } from '#actors/recommendation/rule/catalogue.ts'
import type { Rule } from '#actors/recommendation/rule/contract.ts'
import { typeOf } from '#streams/cloud/resource-type.ts'

const rules = allRules()

const clouds = { aws: 'AWS', gcp: 'Google Cloud', azure: 'Azure', any: 'All clouds' }

const head = `# The rules of recommendations

${rules.length} rules look at what is known of each resource, and find what could be saved or put right. They are data: [a file a service](../actors/recommendation/rules/README.md), in the order of this page,
which is made of them. [What was corrected against the catalogue they were cut from](../actors/recommendation/rules/CHANGES.md) stands beside them.

## How a rule is judged

1. Each rule comes to one of three outcomes. *Fires*: there is a finding. *Clear*: there is none, and an open one is closed. *Hold*: it cannot be told; nothing is found and nothing closed.
2. A fact is a value, known to be empty, unknown, or one that the type does not have. A comparison with an unknown fact is unknown; \`all\`, \`any\` and \`not\` are three-valued. So a rule never fires on data that is missing, and never closes for want of it.
3. It holds while the resource is younger than the rule asks for, while its status is on the way to another (\`pending\`, \`starting\`, \`stopping\`) or not known, and where the rule disturbs more than an online change and it is not known whether a controller manages the resource.
4. **What ends something** (a delete; an effect of \`outage\`, \`data_loss\` or \`irreversible\`) fires only where *every* fact that its condition reads is known, in whatever branch of it. That another way made an \`any\` true does not excuse a fact which could tell against it. What 6 takes for the usual counts as known, but for a delete.
5. A target that cannot be computed holds; one that is no better than what there is, or dearer, clears. A need that is not known (memory without an agent) keeps what there is. No machine gets fewer vCPUs than its highest peak of the window used.
6. Producers often leave attributes out that only keep a rule from what it is not meant for (a spot instance, a replica). For accounts without a connector these are taken for what they usually are, where \`attributes.csv\` says so, never by a delete, and stand in the evidence as \`assumed\`.
7. Severity of what costs goes by the share of the organization's spend, tempered by confidence (G-65); that of a risk is the rule's own, and its saving is 0 (a figure there is stands in the evidence as \`possibleSavingUsd\`).

## How to read the tables

*Reads* names metrics with their aggregate and window, components and parts of the bill, attributes, relations and references. *Figures* are the rule's parameters; an organization's policy of domain \`recommendation\` may give others. *Effect* is what carrying it out does: none, online, restart, outage, data_loss, irreversible; all but a start park until somebody approves.
`

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
  return [head, ...sections].join('\n')
}

if (import.meta.main) process.stdout.write(page())
