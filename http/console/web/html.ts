import { h, type VNode } from 'preact'
import htm from 'htm'

/** Markup: values are text or properties, never markup themselves. */
export const html = htm.bind(h) as (strings: TemplateStringsArray, ...values: unknown[]) => VNode
