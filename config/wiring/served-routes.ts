/** Which routes are served with which settings: by the edge, in its document and in the client, wherever that is printed. */
import type { Route } from '#http/edge/route.ts'
import type { Settings } from '#config/settings/settings.ts'
import { isGiven } from './source-settings.ts'

export const servedWith = (settings: Settings, routes: readonly Route[]): readonly Route[] =>
  routes.filter(({ onlyWith }) => onlyWith === undefined || isGiven(settings, onlyWith))
