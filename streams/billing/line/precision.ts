/**
 * Decimal places stored for amounts and quantities, prices, and rates. Finer values are rounded half away from zero.
 */
export const moneyPlaces = 14
export const pricePlaces = 16
export const ratePlaces = 12
