/** A moment as text without a clock: pure arithmetic, so that a fold may use it. */

/**
 * ISO 8601 in UTC with seconds, `2026-01-02T03:04:05Z`, from epoch ms.
 * Civil date from days: the era method (400 years have 146,097 days); valid for all years after 0000.
 */
export function utcTime(epochMs: number): string {
  const seconds = Math.floor(epochMs / 1000);
  const days = Math.floor(seconds / 86_400);
  const rest = seconds - days * 86_400;
  const { year, month, day } = civilDate(days);
  const two = (value: number): string => String(value).padStart(2, '0');
  const time = `${two(Math.floor(rest / 3600))}:${two(Math.floor(rest / 60) % 60)}:${two(rest % 60)}`;
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}T${time}Z`;
}

function civilDate(daysSinceEpoch: number): { year: number; month: number; day: number } {
  const days = daysSinceEpoch + 719_468; // since 0000-03-01
  const era = Math.floor(days / 146_097);
  const dayOfEra = days - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day };
}
