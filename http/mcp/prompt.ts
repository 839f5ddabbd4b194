/** Questions that people ask again and again, as prompts that an agent can be started with. */
import type { GetPromptResult, Prompt } from '@modelcontextprotocol/sdk/types.js'

interface Question {
  title: string
  description: string
  arguments: readonly { name: string; description: string }[]
  text: (given: Readonly<Record<string, string>>) => string
}

const figures =
  'Use only figures that the tools return, name the days they cover, and link the views of the console that the tools ' +
  'name. Days without bills are not savings: compare settled days only.'

const questions: Readonly<Record<string, Question>> = {
  explain_cost_rise: {
    title: 'Explain last week’s rise',
    description: 'What made costs rise, whose it is, and whether it lasts',
    arguments: [
      { name: 'from', description: 'first day, YYYY-MM-DD; default: seven settled days' },
      { name: 'to', description: 'last day, YYYY-MM-DD; default: the last settled day' },
    ],
    text: ({ from, to }) =>
      `Explain why our cloud costs rose ${from || to ? `from ${from ?? 'a week before'} to ${to ?? 'the last settled day'}` : 'in the last seven settled days'}. ` +
      'Call get_cost_drivers for these days and the same number of days before. For each of the three largest increases, ' +
      'find the resources, their team (get_resource_context) and an anomaly of these days (list_anomalies), and open the ' +
      'receipt of the largest (get_cost_receipt). Say what changed, since when, who can answer for it, and whether it ' +
      'continues (get_cost_forecast). Name decreases that hide a part of the rise.',
  },
  find_waste: {
    title: 'Find waste',
    description: 'Potential savings, by how sure they are and by effort',
    arguments: [{ name: 'minimumUSD', description: 'the smallest saving a month worth naming; default: 10' }],
    text: ({ minimumUSD = '10' }) =>
      `Find what we pay for and do not use, from ${minimumUSD} US dollars a month on. Call list_recommendations, ` +
      'get_commitments for unused reservations and plans, get_kubernetes_costs for idle costs, and list_schedules to see ' +
      'what already stops. Group by team, give for each what it costs a month, the evidence, and the step that ends it; ' +
      'keep apart what is sure, what needs a question to its owner, and what would be a risk. Do not add estimated savings ' +
      'to observed or verified ones. Propose changes; make none.',
  },
  prepare_monthly_review: {
    title: 'Prepare the monthly review',
    description: 'Costs, budgets, savings and open questions of a month, on one page',
    arguments: [{ name: 'month', description: 'YYYY-MM; default: the last complete month' }],
    text: ({ month }) =>
      `Prepare the review of our cloud costs of ${month ?? 'the last complete month'} on one page. Call get_cost_summary, ` +
      'get_cost_drivers against the month before, get_team_costs, list_budgets, get_savings, get_commitments, ' +
      'list_anomalies and get_cost_forecast. Begin with the total, its change and the three reasons for it; then each team ' +
      'above its budget or its month before; verified savings with the realization rate; what runs out next month ' +
      '(commitments, credits); and at most five decisions to take, each with its figure and who takes it.',
  },
}

export const prompts: readonly Prompt[] = Object.entries(questions).map(
  ([name, { title, description, arguments: inputs }]) => ({
    name,
    title,
    description,
    arguments: [...inputs],
  }),
)

/** Undefined if there is no prompt of this name. Arguments of other names are ignored, as the protocol wants it. */
export function promptOf(name: string, given: Readonly<Record<string, string>> = {}): GetPromptResult | undefined {
  const question = Object.hasOwn(questions, name) ? questions[name] : undefined
  if (!question) return undefined
  const known = Object.fromEntries(
    question.arguments.flatMap(({ name: one }) => (given[one] ? [[one, given[one]]] : [])),
  )
  const text = `${question.text(known)} ${figures}`
  return { description: question.description, messages: [{ role: 'user', content: { type: 'text', text } }] }
}
