import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'

const budget = defineEntity({
  name: 'Budget',
  tableName: 'budget',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    /** A UUID. */
    id: p.text().primary(),
    /** Empty: none. The team need not be there (yet), and upper and lower case are the same. */
    teamName: p.text(),
    /** Empty: none. Where there is one, the budget is for it and not for the team. */
    resourceGroupId: p.text(),
    /** US dollars a month, more than 0; exact. */
    monthlyBudgetUsd: p.decimal('string').precision(38).scale(14),
    /** 1 to 100; exact. */
    alertThresholdPercent: p.decimal('string').precision(38).scale(14),
    /** 1 at first; grows with every edit, which makes alerts possible again. */
    revision: p.integer(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  uniques: [
    {
      name: 'budget_scope',
      expression: 'create unique index "budget_scope" on "budget" ("org_id", lower("team_name"), "resource_group_id")',
    },
  ],
})

/** What a team or a resource group may cost in a calendar month. Written only by actors/budget/change.ts. */
export class Budget extends budget.class {}
budget.setClass(Budget)

const alert = defineEntity({
  name: 'BudgetAlert',
  tableName: 'budget_alert',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    budgetId: p.text().primary(),
    /** YYYY-MM, UTC, of the newest evaluation that raised the level. */
    month: p.text(),
    /** Of the budget, as that evaluation saw it. */
    revision: p.integer(),
    /** What was told of that month and revision: 0 nothing, 1 the warning, 2 that the budget is exceeded. */
    level: p.integer(),
  },
})

/** What people were told of a budget. Written only by the budget actor. */
export class BudgetAlert extends alert.class {}
alert.setClass(BudgetAlert)
