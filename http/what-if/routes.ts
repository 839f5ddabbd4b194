/** What would have been by other figures: the past again, through the rules that it went by. */
import { t } from '#engine/schema.ts'
import { route, type Route } from '#http/edge/route.ts'
import { anomalyWhatIf, AnomalyWhatIf, figuresOf } from '#http/what-if/anomaly.ts'
import { Body, checkChange, rangeGiven } from '#http/what-if/body.ts'
import { budgetWhatIf, BudgetWhatIf } from '#http/what-if/budget.ts'
import { answered } from '#http/what-if/gate.ts'

export const whatIf: readonly Route[] = [
  route({
    method: 'POST',
    path: '/what-if',
    refuses: [404],
    summary: 'What would have been found by other figures: the last days again; nothing is kept and nothing changed',
    description:
      'kind anomaly: the daily runs again with other thresholds. kind budget: a budget of another amount or threshold, or a new one, day by day. Before and after are worked out alike from the bills as they stand now. One at a time an organization and two a process, 10 seconds at most, else 503.',
    permission: 'service.view',
    tags: ['What-if'],
    body: Body,
    reply: t.Union([AnomalyWhatIf, BudgetWhatIf]),
    handle: async ({ caller, body }, services) => {
      checkChange(body)
      const range = rangeGiven(body, services.now())
      if (body.kind === 'budget')
        return answered(caller.orgId, () => budgetWhatIf(caller, range, body.change, services))
      const figures = figuresOf(body.change)
      return answered(caller.orgId, (goOn) => anomalyWhatIf(caller, range, figures, services, goOn))
    },
  }),
]
