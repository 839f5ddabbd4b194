/** Whose costs are they, and what may they be: teams, budgets and tags. */
import { expect } from 'chai'
import { addDays } from '#engine/value/day.ts'
import { usd, type Journey } from '#test/console/journey/world.ts'

/** Two digits, rounded up. */
function roundedUp(cost: number): number {
  const zeros = 10 ** (String(Math.trunc(cost)).length - 2)
  return Math.ceil(cost / zeros) * zeros
}

export const allocationJourneys: readonly Journey[] = [
  {
    task: 'See the share of each team, and what one of them pays for',
    actionsMax: 2,
    walk: async (hand, { data, days: { from, to } }) => {
      const teams = await data(`/reports/teams?from=${from}&to=${to}`)
      const platform = teams.find(({ teamName }: any) => teamName === 'Platform')
      await hand.menu('Teams')
      const row = hand.page
        .getByRole('table', { name: 'Cost by team' })
        .getByRole('row')
        .filter({ hasText: 'Platform' })
      const text = (await row.textContent())!
      expect(text).to.include(usd(platform.costUSD))
      expect(text).to.include('% of total')
      await hand.click(row.getByRole('link', { name: 'Platform', exact: true }))
      expect(new URL(hand.page.url()).searchParams.get('team')).to.equal(platform.teamID)
    },
  },
  {
    task: 'Set a budget for a team',
    actionsMax: 3,
    walk: async (hand, { data }) => {
      const { id } = (await data('/teams')).items.find(({ name }: any) => name === 'Platform')
      const to = addDays(`${new Date().toISOString().slice(0, 8)}01`, -1)
      const { totalUSD } = await data(`/reports/receipt?from=${to.slice(0, 8)}01&to=${to}&team_id=${id}&limit=1`)
      await hand.menu('Teams')
      const row = hand.page
        .getByRole('table', { name: 'Cost by team' })
        .getByRole('row')
        .filter({ hasText: 'Platform' })
      await hand.click(row.getByRole('link', { name: 'Create' }))
      await hand.button('Create budget')
      const made = hand.page.getByRole('table', { name: 'Budgets' }).getByRole('row').filter({ hasText: 'Platform' })
      await made.waitFor()
      expect(await made.textContent()).to.include(usd(roundedUp(Number(totalUSD))))
    },
  },
  {
    task: 'See whether the month stays within its budget',
    actionsMax: 1,
    walk: async (hand, { data }) => {
      const { forecast } = (await data('/budgets')).find(({ scope }: any) => scope.kind === 'org')
      await hand.click(hand.page.locator('.tile', { hasText: 'Budgets' }).getByRole('link').first())
      const row = hand.page.getByRole('table', { name: 'Budgets' }).getByRole('row').filter({ hasText: 'Organization' })
      const text = (await row.textContent())!
      // As the demo plants it.
      expect(text).to.include('$45,000.00')
      expect(text).to.include(forecast ? usd(forecast.forecastUSD) : 'unknown')
    },
  },
  {
    task: 'Accept all suggested tags that are sure',
    actionsMax: 6,
    walk: async (hand, { data }) => {
      const countSure = async (): Promise<number> =>
        (await data('/autotagging?status=pending&confidence_min=90&limit=1')).total
      const count = await countSure()
      expect(count).to.be.greaterThan(20)
      await hand.menu('Tags')
      await hand.click(hand.page.getByRole('link', { name: /^Suggestions \d/ }))
      await hand.choose('90', hand.page.getByLabel('Confidence'))
      await hand.click(hand.page.getByRole('button', { name: /^Accept all / }))
      await hand.button(new RegExp(`^Accept ${count}$`))
      await hand.page.getByText(`${count} suggestions accepted.`).waitFor()
      expect(await countSure()).to.equal(0)
    },
  },
]
