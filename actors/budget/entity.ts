/** The rows of budgets and of their alerts. */
import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'
import type { BudgetScopeKind } from '#streams/budget.ts'
import type { Threshold } from './threshold.ts'

/** Of scopes that are neither a team nor a resource group. */
type OtherScopeKind = Exclude<BudgetScopeKind, 'team' | 'resource_group'>

const budget = defineEntity({
  name: 'Budget',
  tableName: 'budget',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    /** A UUID. */
    id: p.text().primary(),
    /** Empty for none. The team need not exist (yet); not case-sensitive. */
    teamName: p.text(),
    /** Empty for none. If set, the budget is for the group and not for the team. */
    resourceGroupId: p.text(),
    /** Empty: the team or the group above; otherwise both are empty. */
    scopeKind: p.text().$type<'' | OtherScopeKind>().default(''),
    /** An account's id, a service's name, or a tag as `key:value`; otherwise empty. */
    scopeId: p.text().default(''),
    /** US dollars per month, greater than 0; exact. */
    monthlyBudgetUsd: p.decimal('string').precision(38).scale(14),
    /** 1 to 100; exact. */
    alertThresholdPercent: p.decimal('string').precision(38).scale(14),
    /** Further alerts, each once. */
    thresholds: p.json<Threshold[]>().defaultRaw(`'[]'`),
    /** Starts at 1 and increases with every edit, which enables alerts again. */
    revision: p.integer(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  uniques: [
    {
      name: 'budget_scope',
      expression:
        'create unique index "budget_scope" on "budget" ("org_id", lower("team_name"), "resource_group_id", "scope_kind", md5("scope_id"))',
    },
  ],
})

/** The spending limit of a scope in a calendar month. Written only by actors/budget/change.ts. */
export class Budget extends budget.class {}
budget.setClass(Budget)

const alert = defineEntity({
  name: 'BudgetAlert',
  tableName: 'budget_alert',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    budgetId: p.text().primary(),
    /** YYYY-MM, UTC, of the last evaluation that raised the level. */
    month: p.text(),
    /** The budget's revision in that evaluation. */
    revision: p.integer(),
    /** Highest notified level of that month and revision: 0 none, 1 the warning, 2 budget exceeded. */
    level: p.integer(),
    /** The further alerts notified for that month and revision, by `keyOf`. */
    told: p.json<string[]>().defaultRaw(`'[]'`),
  },
})

/** The notifications sent about a budget. Written only by the budget actor. */
export class BudgetAlert extends alert.class {}
alert.setClass(BudgetAlert)
