/**
 * Groups of services that one commitment can cover, from `service-scope.csv`. The use within a scope shows how much of
 * it is steady.
 */
import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'

/** `service` is a regular expression over the service name in lower case; `component` is names separated by bars. */
interface Row {
  scope: string
  provider: string
  service: string
  component: string
}

const rows: readonly Row[] = parse(readFileSync(new URL('service-scope.csv', import.meta.url)), { columns: true })

const scopes = rows.map(({ scope, provider, service, component }) => ({
  scope,
  provider,
  service: new RegExp(service),
  components: new Set(component.split('|')),
}))

/** The scopes that a cloud has. */
export const scopesOf = (provider: string): string[] =>
  scopes.filter((scope) => scope.provider === provider).map(({ scope }) => scope)

/** The scopes in which use of a service's component counts. */
export const scopesOfUse = (provider: string, service: string, component: string): string[] =>
  scopes
    .filter((one) => one.provider === provider && one.components.has(component))
    .filter((one) => one.service.test(service.toLowerCase()))
    .map(({ scope }) => scope)
