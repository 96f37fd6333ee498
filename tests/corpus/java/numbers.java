// Numbers: big ones, overflow, floats, bits, primes, dynamic programming.
import java.math.*;
import java.util.*;

class Main {
  static int edit(String a, String b) {
    int[] row = new int[b.length() + 1];
    Arrays.setAll(row, j -> j);
    for (int i = 1; i <= a.length(); ++i) {
      int before = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); ++j) {
        int best = before + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        before = row[j];
        row[j] = Math.min(best, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[b.length()];
  }

  public static void main(String[] args) {
    BigInteger n = BigInteger.ONE;
    for (int i = 2; i <= 60; ++i) n = n.multiply(BigInteger.valueOf(i));
    System.out.println(n + " " + n.bitLength());
    System.out.println(BigInteger.TWO.pow(127).subtract(BigInteger.ONE).isProbablePrime(20) + " "
        + BigInteger.valueOf(7).modPow(BigInteger.TEN.pow(9), BigInteger.valueOf(13)) + " "
        + new BigInteger("zz", 36));
    System.out.println(new BigDecimal("0.1").add(new BigDecimal("0.2")) + " "
        + BigDecimal.ONE.divide(new BigDecimal(3), 20, RoundingMode.HALF_UP) + " "
        + new BigDecimal("2").sqrt(new MathContext(40)));
    System.out.println(Integer.MAX_VALUE + 1 + " " + Long.MIN_VALUE + " " + (byte) 200 + " " + (int) 1e20
        + " " + (-7 / 2) + " " + (-7 % 3) + " " + Math.floorMod(-7, 3));
    System.out.println((-1 >>> 28) + " " + (-16 >> 2) + " " + (5 & 3 | 8 ^ 2) + " "
        + Integer.toBinaryString(10) + " " + Integer.bitCount(255) + " " + Long.toHexString(-1L));
    System.out.println(0.1 + 0.2 + " " + 1e21 + " " + 1e-5 + " " + 100.0 + " " + 1.0f / 3 + " " + (float) 0.1
        + " " + 1 / 0.0 + " " + 0.0 / 0 + " " + Double.MIN_VALUE);
    System.out.println(Math.round(2.5) + " " + Math.round(-2.5) + " " + Math.rint(2.5) + " " + Math.sqrt(2)
        + " " + Math.hypot(3, 4) + " " + (0.0 == -0.0) + " " + Double.valueOf(0.0).equals(-0.0));
    try {
      Math.addExact(Integer.MAX_VALUE, 1);
    } catch (ArithmeticException error) {
      System.out.println(error.getMessage());
    }
    BitSet composite = new BitSet();
    int count = 0, last = 0;
    for (int p = 2; p <= 100000; ++p) {
      if (composite.get(p))
        continue;
      ++count;
      last = p;
      for (long m = (long) p * p; m <= 100000; m += p) composite.set((int) m);
    }
    System.out.println(
        count + " " + last + " " + edit("kitten", "sitting") + " " + edit("intention", "execution"));
    Random random = new Random(42);
    System.out.println(random.nextInt(100) + " " + random.nextInt(100) + " " + random.nextDouble());
  }
}
