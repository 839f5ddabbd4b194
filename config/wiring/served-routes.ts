/** The routes that are served with given settings: by the edge, in the OpenAPI document and in the client. */
import type { Route } from '#http/edge/route.ts'
import type { Settings } from '#config/settings/settings.ts'
import { isGiven } from './source-settings.ts'

export const servedWith = (settings: Settings, routes: readonly Route[]): readonly Route[] =>
  routes.filter(({ onlyWith }) => onlyWith === undefined || isGiven(settings, onlyWith))
